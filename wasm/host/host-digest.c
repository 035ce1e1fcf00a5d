// SPDX-License-Identifier: GPL-2.0-only
/*
 * The digest of what a guest left behind: two chained 64-bit hashes with
 * different seeds make its 128 bits. Order and names count.
 */
#include "host-parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void pw_host_digest_init(struct pw_host_digest *d)
{
	d->lo = 0x70657266; /* "perf" */
	d->hi = 0x7761736d; /* "wasm" */
}

static void add(struct pw_host_digest *d, const void *data, size_t n)
{
	d->lo = pw_hash(data, n, d->lo);
	d->hi = pw_hash(data, n, d->hi);
}

void pw_host_digest_add(struct pw_host_digest *d, const char *name,
			const void *data, size_t n)
{
	uint64_t size = n;

	add(d, name, strlen(name));
	add(d, &size, sizeof(size));
	add(d, data, n);
}

static void add_output(struct pw_host_digest *d, int fd)
{
	struct stat st;
	void *data;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size) {
		pw_host_digest_add(d, "output", "", 0);
		return;
	}
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return;
	pw_host_digest_add(d, "output", data, (size_t)st.st_size);
	munmap(data, (size_t)st.st_size);
}

void pw_host_digest_end(struct pw_host_digest *d, struct pw_host_run *run)
{
	const char *outcome = pw_outcome_name(run->reply.outcome);
	int32_t code = run->reply.exit_code;

	add_output(d, run->out_fd);
	pw_host_digest_add(d, outcome, &code, sizeof(code));
	snprintf(run->reply.digest, sizeof(run->reply.digest), "%016llx%016llx",
		 (unsigned long long)d->hi, (unsigned long long)d->lo);
}
