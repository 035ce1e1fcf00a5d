// SPDX-License-Identifier: GPL-2.0-only
/* Names the libraries that the renderers run with. */
#include <perfwasm/report.h>

#include <jansson.h>
#include <libsmartcols.h>
#include <zlib.h>

const char *pw_render_libraries(char *dst, size_t size)
{
	const char *scols = NULL;

	scols_get_library_version(&scols);
	snprintf(dst, size, "jansson %s, libsmartcols %s, zlib %s",
		 jansson_version_str(), scols ? scols : "?", zlibVersion());
	return dst;
}
