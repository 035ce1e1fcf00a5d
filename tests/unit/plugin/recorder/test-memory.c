// SPDX-License-Identifier: GPL-2.0-only
/* Memory that is put together says what it said, at the same addresses, and
 * lies in few areas where there are huge pages to be had. */
#include "../../../../plugin/recorder/recorder-impl.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#define N_PAGES 300
#define PAGE    4096
#define AREA    (2u << 20)

static unsigned char data[3 * PAGE] = { 1 };

/* The area of memory that a page is in; 0: not told, as to users. */
static uint64_t area_of(const void *at)
{
	uint64_t entry = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY);

	if (fd >= 0) {
		if (pread(fd, &entry, sizeof(entry),
			  (off_t)((uintptr_t)at / PAGE * sizeof(entry))) < 0)
			entry = 0;
		close(fd);
	}
	return (entry & ((1ull << 55) - 1)) / (AREA / PAGE);
}

static uint32_t n_areas(unsigned char *const *pages)
{
	uint64_t seen[N_PAGES];
	uint32_t n = 0, k;

	for (uint32_t i = 0; i < N_PAGES; i++) {
		uint64_t area = area_of(pages[i]);

		for (k = 0; k < n && seen[k] != area; k++)
			;
		if (k == n)
			seen[n++] = area;
	}
	return n;
}

/* Whether the kernel gives a huge page to whoever asks now. */
static bool gives_huge_pages(void)
{
	size_t size = 2 * AREA;
	char *area = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *first =
		(char *)(((uintptr_t)area + AREA - 1) & ~(uintptr_t)(AREA - 1));
	uint64_t begin, end;

	madvise(first, AREA, MADV_HUGEPAGE);
	memset(first, 1, AREA);
	begin = area_of(first);
	end = area_of(first + AREA - PAGE);
	munmap(area, size);
	return begin && begin == end;
}

static void all_is_as_it_was(void **state)
{
	unsigned char *pages[N_PAGES];

	(void)state;
	for (uint32_t i = 0; i < N_PAGES; i++) {
		pages[i] = malloc(PAGE);
		memset(pages[i], (int)(i % 251), PAGE);
	}
	memset(data, 7, sizeof(data));
	recorder_gather_memory();
	for (uint32_t i = 0; i < N_PAGES; i++)
		for (uint32_t k = 0; k < PAGE; k++)
			assert_int_equal(pages[i][k], i % 251);
	for (uint32_t k = 0; k < sizeof(data); k++)
		assert_int_equal(data[k], 7);
	/* it may be written, given back and taken again */
	for (uint32_t i = 0; i < N_PAGES; i++) {
		memset(pages[i], 1, PAGE);
		free(pages[i]);
	}
	free(malloc(1 << 20));
}

static void it_lies_together(void **state)
{
	unsigned char *pages[N_PAGES], *apart;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	if (!gives_huge_pages())
		skip();
	/* each page of the heap in an area of its own, as far as there are */
	apart = mmap(NULL, N_PAGES * PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (uint32_t i = 0; i < N_PAGES; i++) {
		pages[i] = apart + i * PAGE;
		*pages[i] = 1;
	}
	recorder_gather_memory();
	assert_in_range(n_areas(pages), 1, 2);
	munmap(apart, N_PAGES * PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_as_it_was),
		cmocka_unit_test(it_lies_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
