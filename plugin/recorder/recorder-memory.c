// SPDX-License-Identifier: GPL-2.0-only
/*
 * Puts the pages of this process close together. What is touched after a sleep
 * is looked up and fetched anew, by the page; where a virtual machine's memory
 * is itself in pages that its host forgets, each area of 2 MB that was not
 * touched for a second costs 20 to 50 us, and pages that came one by one lie in
 * hundreds of such areas. So all pages that are there, code too, are copied
 * into huge pages and mapped from these at their old addresses. Where there are
 * no huge pages, or it is not allowed, all stays as it is.
 */
#include "recorder-impl.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define HUGE_BYTES (2u << 20)
/* More than this is not gained back. */
#define MOST_BYTES (16u << 20)

/* Pages side by side. */
struct run {
	char *at;
	size_t size;
	int prot;
};

struct pages {
	struct run *runs;
	size_t n, cap, size, page;
	int map; /* /proc/self/pagemap */
};

/* --- which ----------------------------------------------------------------------- */

static void add_page(struct pages *p, char *at, int prot)
{
	struct run *last = p->n ? &p->runs[p->n - 1] : NULL;

	p->size += p->page;
	if (last && last->at + last->size == at && last->prot == prot) {
		last->size += p->page;
		return;
	}
	if (p->n == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 64;
		p->runs = pw_realloc(p->runs, p->cap * sizeof(*p->runs));
	}
	p->runs[p->n++] = (struct run){ at, p->page, prot };
}

/* Those of a mapping that are in memory: bit 63 of its entry, see
 * Documentation/admin-guide/mm/pagemap.rst of the kernel. */
static void add_present(struct pages *p, uintptr_t from, uintptr_t to, int prot)
{
	uint64_t entries[512];
	size_t n = 0, i = 0;

	for (uintptr_t at = from; at < to; at += p->page, i++) {
		if (i == n) {
			size_t left = (to - at) / p->page;
			ssize_t got;

			if (left > sizeof(entries) / sizeof(*entries))
				left = sizeof(entries) / sizeof(*entries);
			got = pread(p->map, entries, left * sizeof(*entries),
				    (off_t)(at / p->page * sizeof(*entries)));
			n = got > 0 ? (size_t)got / sizeof(*entries) : 0;
			i = 0;
			if (!n)
				return;
		}
		if (entries[i] >> 63)
			add_page(p, (char *)at, prot);
	}
}

/* Private memory, but for the stack, which we stand on, and the kernel's own
 * ("[vdso]"). */
static void add_mapping(struct pages *p, const char *line)
{
	uintptr_t from, to;
	char perms[5];

	if (sscanf(line, "%lx-%lx %4s", &from, &to, perms) != 3 ||
	    perms[0] != 'r' || perms[3] != 'p' || strstr(line, "[stack]") ||
	    strstr(line, "[v"))
		return;
	add_present(p, from, to,
		    PROT_READ | (perms[1] == 'w' ? PROT_WRITE : 0) |
			    (perms[2] == 'x' ? PROT_EXEC : 0));
}

static bool find_pages(struct pages *p)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];

	p->page = (size_t)sysconf(_SC_PAGESIZE);
	p->map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	while (f && p->map >= 0 && fgets(line, sizeof(line), f))
		add_mapping(p, line);
	if (f)
		fclose(f);
	if (p->map >= 0)
		close(p->map);
	return p->n && p->size <= MOST_BYTES;
}

/* --- moving ---------------------------------------------------------------------- */

static bool has_huge_pages(void)
{
	char text[64] = "";
	int fd = open("/sys/kernel/mm/transparent_hugepage/enabled",
		      O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return n > 0 && !strstr(text, "[never]");
}

/* Between the copy and the new mapping nothing of it may be written, so no
 * function is called that would: what is needed lies on the stack. */
static bool move(const struct run *run, char *to)
{
	memcpy(to, run->at, run->size);
	if (run->prot & PROT_EXEC)
		__builtin___clear_cache(to, to + run->size);
	return !mprotect(to, run->size, run->prot) &&
	       mremap(to, run->size, run->size, MREMAP_MAYMOVE | MREMAP_FIXED,
		      run->at) != MAP_FAILED;
}

/* Of whom code without a file is, in /proc/PID/maps and for perf. */
static void name(const struct run *run)
{
	prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, run->at, run->size,
	      "system-recorder");
}

static void move_all(const struct pages *p)
{
	size_t room = (p->size + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
	size_t mapped = room + HUGE_BYTES;
	char *area = mmap(NULL, mapped, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *first = (char *)(((uintptr_t)area + HUGE_BYTES - 1) &
			       ~(uintptr_t)(HUGE_BYTES - 1));
	char *to = first;

	if (area == MAP_FAILED)
		return;
	if (madvise(first, room, MADV_HUGEPAGE))
		to = first + room;
	for (size_t i = 0; i < p->n && to + p->runs[i].size <= first + room;
	     i++) {
		struct run run = p->runs[i];

		if (!move(&run, to))
			continue;
		name(&run);
		to += run.size;
	}
	/* the rest of the huge pages, and what was not moved */
	munmap(area, mapped);
}

void recorder_gather_memory(void)
{
	struct pages p = { .map = -1 };

#ifdef __SANITIZE_ADDRESS__
	/* what it put between the blocks of the heap is not to be read */
	return;
#endif
	if (has_huge_pages() && find_pages(&p))
		move_all(&p);
	free(p.runs);
}
