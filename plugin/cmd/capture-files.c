// SPDX-License-Identifier: GPL-2.0-only
/* What a file is, for the commands that keep it in a capture or read it. */
#include "capture-files.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

const char *capture_kind_of(const char *path)
{
	char head[4] = { 0 };
	FILE *f;

	if (fnmatch("?*.wasm", path, 0) && fnmatch("?*.cwasm", path, 0))
		return NULL;
	f = fopen(path, "re");
	if (!f)
		return NULL;
	if (fread(head, 1, 4, f) != 4)
		head[0] = 1;
	fclose(f);
	if (!memcmp(head, "\0asm", 4))
		return "module";
	return memcmp(head, "\177ELF", 4) ? NULL : "artifact";
}
