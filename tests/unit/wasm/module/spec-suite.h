/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The modules of the WebAssembly test suite, cut out of one file by a table
 * (PERF_WASM_CORPUS/wasm/spec). A test without the corpus is skipped.
 */
#ifndef SPEC_SUITE_H
#define SPEC_SUITE_H

#include "module-bytes.h"

enum suite_kind { SUITE_VALID, SUITE_INVALID, SUITE_MALFORMED, N_SUITE_KINDS };

struct suite_module {
	enum suite_kind kind;
	char place[200];  /* FILE.wast:LINE */
	char reason[200]; /* the suite's */
	const uint8_t *bytes;
	size_t size;
};

static inline const char *corpus_dir(void)
{
	const char *dir = getenv("PERF_WASM_CORPUS");

	return dir ? dir : "../shared/corpus";
}

static inline bool parse_suite_line(const char *line,
				    const struct pw_file *modules,
				    struct suite_module *sm)
{
	char kind[20];
	unsigned long off, size;

	sm->reason[0] = 0;
	if (sscanf(line, "%19s\t%199[^\t]\t%lu\t%lu\t%199[^\n]", kind,
		   sm->place, &off, &size, sm->reason) < 4 ||
	    off > modules->size || size > modules->size - off)
		return false;
	sm->kind = !strcmp(kind, "valid")     ? SUITE_VALID
		   : !strcmp(kind, "invalid") ? SUITE_INVALID
					      : SUITE_MALFORMED;
	sm->bytes = modules->data + off;
	sm->size = size;
	return true;
}

/* Calls each for every module; their number, or 0 without the corpus. */
static inline uint32_t
each_suite_module(void (*each)(void *ctx, const struct suite_module *sm),
		  void *ctx)
{
	struct pw_file modules = { 0 };
	struct suite_module sm;
	char path[4096], line[1000];
	uint32_t n = 0;
	FILE *table;

	snprintf(path, sizeof(path), "%s/wasm/spec/modules.tsv", corpus_dir());
	table = fopen(path, "r");
	if (!table) {
		print_message("%s is not there\n", path);
		return 0;
	}
	snprintf(path, sizeof(path), "%s/wasm/spec/modules.bin", corpus_dir());
	if (pw_file_open(&modules, path, NULL) == 0)
		while (fgets(line, sizeof(line), table))
			if (*line != '#' &&
			    parse_suite_line(line, &modules, &sm)) {
				each(ctx, &sm);
				n++;
			}
	fclose(table);
	pw_file_close(&modules);
	return n;
}

#endif
