// SPDX-License-Identifier: GPL-2.0-only
/*
 * replay FILE|FOLDER...: hands every file, and every file below a folder, to
 * the fuzz target it is linked with, once. A fuzzer without a fuzzer: plain
 * builds and sanitizer builds of any compiler run what the corpora hold.
 */
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* nftw() has no argument for its callback, so this is the one static. */
static int n_files;

static void run_file(FILE *f)
{
	uint8_t *data = NULL, *exact;
	size_t size = 0, cap = 0, n;

	do {
		if (cap - size < 65536)
			data = realloc(data, cap += 1 << 20);
		if (!data)
			abort();
		n = fread(data + size, 1, cap - size, f);
		size += n;
	} while (n);
	/* a block of the exact size, so that reads past its end are seen */
	exact = malloc(size ? size : 1);
	if (!exact)
		abort();
	memcpy(exact, data, size);
	free(data);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

static int visit(const char *path, const struct stat *st, int type,
		 struct FTW *ftw)
{
	FILE *f;

	(void)st;
	(void)ftw;
	if (type != FTW_F)
		return 0;
	f = fopen(path, "rb");
	if (!f) {
		perror(path);
		return 1;
	}
	run_file(f);
	fclose(f);
	n_files++;
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (nftw(argv[i], visit, 16, FTW_PHYS)) {
			fprintf(stderr, "replay: can't read %s\n", argv[i]);
			return 1;
		}
	printf("%d inputs\n", n_files);
	return 0;
}
