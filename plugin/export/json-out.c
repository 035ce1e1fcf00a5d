// SPDX-License-Identifier: GPL-2.0-only
/*
 * JSON, as the large arrays of exports want it: written at once, nothing is
 * built in memory. Text is made safe by pw_visible(), which leaves UTF-8
 * without control characters.
 */
#include "export-impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void put_json_string(FILE *to, const char *s)
{
	char *safe = pw_visible(s);

	fputc('"', to);
	for (const char *p = safe; *p;) {
		size_t n = strcspn(p, "\"\\");

		fwrite(p, 1, n, to);
		p += n;
		if (*p) {
			fputc('\\', to);
			fputc(*p++, to);
		}
	}
	fputc('"', to);
	free(safe);
}

void put_json_ms(FILE *to, uint64_t ns)
{
	fprintf(to, "%" PRIu64 ".%06u", ns / 1000000, (unsigned)(ns % 1000000));
}
