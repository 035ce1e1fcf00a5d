// SPDX-License-Identifier: GPL-2.0-only
/*
 * Puts what this process writes close together. Memory that is touched after a
 * sleep is looked up and fetched anew, by the page; where a virtual machine's
 * memory is itself in pages that its host forgets, each area of 2 MB that was
 * not touched for a second is fetched by that host, and pages
 * that came one by one lie in hundreds of such areas. So the pages of heap and data that are there
 * are copied into huge pages and mapped from these at their old addresses. Code
 * stays where it is: samples in it have names, and who traces a library has put
 * breakpoints into it. Where there are no huge pages all stays as it is.
 */
#include "recorder-impl.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_BYTES (2u << 20)
/* More than this is not gained back. */
#define MOST_BYTES (16u << 20)

/* Pages side by side. */
struct run {
	char *at;
	size_t size;
};

struct pages {
	FILE *maps; /* open until all is moved: closing it may give memory back */
	int present; /* /proc/self/pagemap */
	struct run *runs;
	size_t n, cap, size, page;
};

/* A mapping. */
struct range {
	uintptr_t from, to;
	bool is_ours; /* private, written, and none of the kernel's */
};

/* --- which ----------------------------------------------------------------------- */

static void add_page(struct pages *p, char *at)
{
	struct run *last = p->n ? &p->runs[p->n - 1] : NULL;

	p->size += p->page;
	if (last && last->at + last->size == at) {
		last->size += p->page;
		return;
	}
	if (p->n == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 64;
		p->runs = pw_realloc(p->runs, p->cap * sizeof(*p->runs));
	}
	p->runs[p->n++] = (struct run){ at, p->page };
}

/* Those of a mapping that are in memory: bit 63 of its entry, see
 * Documentation/admin-guide/mm/pagemap.rst of the kernel. */
static void add_present(struct pages *p, const struct range *r)
{
	uint64_t entries[512];
	size_t n = 0, i = 0;

	for (uintptr_t at = r->from; at < r->to; at += p->page, i++) {
		if (i == n) {
			size_t left = (r->to - at) / p->page;
			ssize_t got;

			if (left > sizeof(entries) / sizeof(*entries))
				left = sizeof(entries) / sizeof(*entries);
			got = pread(p->present, entries,
				    left * sizeof(*entries),
				    (off_t)(at / p->page * sizeof(*entries)));
			n = got > 0 ? (size_t)got / sizeof(*entries) : 0;
			i = 0;
			if (!n)
				return;
		}
		if (entries[i] >> 63)
			add_page(p, (char *)at);
	}
}

/* The head of a mapping in smaps. Ours are heap, data of files and memory
 * without a name; not the stack, on which we stand. */
static bool take_head(struct range *r, const char *line)
{
	uintptr_t from, to;
	char perms[5], name[2] = "";
	int n = sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %*s %1s",
		       &from, &to, perms, name);

	if (n < 3)
		return false;
	*r = (struct range){
		.from = from,
		.to = to,
		.is_ours = !strcmp(perms, "rw-p") &&
			   (*name != '[' || strstr(line, "[heap]")),
	};
	return true;
}

/* What a plain page can't stand for: a stack of return addresses, tagged,
 * locked or sealed memory, a device's. See proc.rst of the kernel. */
static bool is_special(const char *flags)
{
	static const char *const special[] = { " ss", " mt", " lo",
					       " sl", " io", " pf" };

	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
		if (strstr(flags, special[i]))
			return true;
	return false;
}

static bool find_pages(struct pages *p)
{
	struct range r = { .is_ours = false };
	char line[512];

	p->page = (size_t)sysconf(_SC_PAGESIZE);
	p->maps = fopen("/proc/self/smaps", "re");
	p->present = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	while (p->maps && p->present >= 0 && fgets(line, sizeof(line), p->maps))
		if (!take_head(&r, line) && r.is_ours &&
		    !strncmp(line, "VmFlags:", 8) && !is_special(line))
			add_present(p, &r);
	return p->n && p->size <= MOST_BYTES;
}

/* --- moving ---------------------------------------------------------------------- */

static bool file_says(const char *path, const char *what)
{
	struct pw_file f;
	bool says;

	if (pw_file_open(&f, path, NULL))
		return false;
	says = memmem(f.data, f.size, what, strlen(what));
	pw_file_close(&f);
	return says;
}

#define HUGE "/sys/kernel/mm/transparent_hugepage/"

/* Where pages are larger than 4 KB huge ones are, too. */
static bool has_huge_pages(void)
{
	return file_says(HUGE "hpage_pmd_size", "2097152") &&
	       (file_says(HUGE "enabled", "[madvise]") ||
		file_says(HUGE "enabled", "[always]"));
}

/* Between the copy and the new mapping nothing of it may be written, so no
 * function is called that would: what is needed lies on the stack. A mapping
 * that fails has taken the old one away. */
static void move(struct run run, char *to)
{
	static const char why[] =
		"perf wasm: out of memory: the recorder ends\n";

	memcpy(to, run.at, run.size);
	if (mremap(to, run.size, run.size, MREMAP_MAYMOVE | MREMAP_FIXED,
		   run.at) != MAP_FAILED)
		return;
	(void)!write(STDERR_FILENO, why, sizeof(why) - 1);
	_exit(1);
}

static void move_all(const struct pages *p)
{
	size_t room = (p->size + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
	size_t mapped = room + HUGE_BYTES;
	char *area = mmap(NULL, mapped, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *to = (char *)(((uintptr_t)area + HUGE_BYTES - 1) &
			    ~(uintptr_t)(HUGE_BYTES - 1));

	if (area == MAP_FAILED)
		return;
	if (!madvise(to, room, MADV_HUGEPAGE))
		for (size_t i = 0; i < p->n; i++) {
			move(p->runs[i], to);
			to += p->runs[i].size;
		}
	/* what is left of the huge pages */
	munmap(area, mapped);
}

void recorder_gather_memory(void)
{
	struct pages p = { .present = -1 };

#ifdef __SANITIZE_ADDRESS__
	/* what it put between the blocks of the heap is not to be read */
	return;
#endif
	if (has_huge_pages() && find_pages(&p))
		move_all(&p);
	if (p.maps)
		fclose(p.maps);
	if (p.present >= 0)
		close(p.present);
	free(p.runs);
}
