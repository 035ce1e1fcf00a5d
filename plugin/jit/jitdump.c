// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a jitdump record by record, of either byte order. Knows the format,
 * version 1 of jitdump-specification.txt in the kernel's tools/perf, and not
 * what the records add up to.
 *
 *   header   magic u32, version u32, size u32, machine u32, pad u32, pid u32,
 *            time u64, flags u64
 *   record   type u32, size u32, time u64, content
 */
#include <perfwasm/jit.h>

#include <errno.h>
#include <string.h>

#define MAGIC       0x4A695444u
#define HEADER_SIZE 40
#define PREFIX_SIZE 16

static uint32_t load32(const uint8_t *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static uint64_t load64(const uint8_t *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

/* --- its name --------------------------------------------------------------- */

static const char *read_pid(const char *s, uint32_t *pid)
{
	uint64_t v = 0;
	const char *p;

	for (p = s; *p >= '0' && *p <= '9' && v <= UINT32_MAX; p++)
		v = v * 10 + (uint64_t)(*p - '0');
	*pid = (uint32_t)v;
	return p > s && v <= UINT32_MAX ? p : NULL;
}

bool pw_jitdump_is_path(const char *path, uint32_t *pid)
{
	const char *p = strrchr(path, '/');
	uint32_t found;

	p = p ? p + 1 : path;
	if (strncmp(p, "jit-", 4))
		return false;
	p = read_pid(p + 4, &found);
	if (p && *p == '-') /* that was the thread */
		p = read_pid(p + 1, &found);
	if (!p || strcmp(p, ".dump"))
		return false;
	if (pid)
		*pid = found;
	return true;
}

/* --- the header ------------------------------------------------------------- */

static int check_header(struct pw_jitdump *d, uint32_t machine,
			struct pw_err *err)
{
	uint32_t version = load32(d->data + 4, d->swap);
	uint32_t size = load32(d->data + 8, d->swap);

	if (version != 1)
		return pw_err_at(
			err, ENOTSUP, 4,
			"version 1 of the jitdump format expected, found %u",
			version);
	if (size < HEADER_SIZE || size > d->size)
		return pw_err_at(
			err, EINVAL, 8,
			"a jitdump header of 40 bytes or more expected, found one of %u in a file of %llu",
			size, (unsigned long long)d->size);
	d->machine = load32(d->data + 12, d->swap);
	if (machine && machine != d->machine)
		return pw_err_at(
			err, EINVAL, 12,
			"code for ELF machine %u expected, as in the capture, found code for %u: this jitdump is another machine's",
			machine, d->machine);
	d->pid = load32(d->data + 20, d->swap);
	d->time = load64(d->data + 24, d->swap);
	d->flags = load64(d->data + 32, d->swap);
	d->at = size;
	if (d->flags & ~PW_JITDUMP_ARCH_TIME)
		pw_err_at(
			&d->counts.header_fault, EINVAL, 32,
			"flags %#llx in the header, of which only 1 is known: its times may be wrong",
			(unsigned long long)d->flags);
	return 0;
}

int pw_jitdump_open_bytes(struct pw_jitdump *d, const void *data, size_t size,
			  uint32_t machine, struct pw_err *err)
{
	uint32_t magic;

	memset(d, 0, sizeof(*d));
	d->data = data;
	d->size = size;
	if (size < HEADER_SIZE)
		return pw_err_at(
			err, EINVAL, size,
			"a jitdump header of 40 bytes expected, found %zu bytes",
			size);
	magic = load32(d->data, false);
	if (magic != MAGIC && magic != __builtin_bswap32(MAGIC))
		return pw_err_at(
			err, EINVAL, 0,
			"no jitdump: magic number %#x expected, found %#x",
			MAGIC, magic);
	d->swap = magic != MAGIC;
	return check_header(d, machine, err);
}

int pw_jitdump_open(struct pw_jitdump *d, const char *path, uint32_t machine,
		    struct pw_err *err)
{
	struct pw_file file;
	int ret = pw_file_open(&file, path, err);

	memset(d, 0, sizeof(*d));
	if (ret)
		return ret;
	ret = pw_jitdump_open_bytes(d, file.data, file.size, machine, err);
	d->file = file;
	if (ret) {
		pw_jitdump_close(d);
		pw_err_prefix(err, "%s", path);
	}
	return ret;
}

void pw_jitdump_close(struct pw_jitdump *d)
{
	if (!d)
		return;
	pw_file_close(&d->file);
	memset(d, 0, sizeof(*d));
}

/* --- the content of records ---------------------------------------------------- */

/* What is left of one record. A read past its end fails all later ones. */
struct content {
	const uint8_t *p, *end;
	bool swap, failed;
};

static bool has(struct content *c, uint64_t n)
{
	if (n > (uint64_t)(c->end - c->p))
		c->failed = true;
	return !c->failed;
}

static uint32_t take32(struct content *c)
{
	if (!has(c, 4))
		return 0;
	c->p += 4;
	return load32(c->p - 4, c->swap);
}

static uint64_t take64(struct content *c)
{
	if (!has(c, 8))
		return 0;
	c->p += 8;
	return load64(c->p - 8, c->swap);
}

static const char *take_string(struct content *c)
{
	const char *s = (const char *)c->p;
	const uint8_t *nul = memchr(c->p, 0, c->end - c->p);

	if (c->failed || !nul) {
		c->failed = true;
		return NULL;
	}
	c->p = nul + 1;
	return s;
}

static void read_load(struct content *c, struct pw_jit_record *r)
{
	r->pid = take32(c);
	r->tid = take32(c);
	take64(c); /* vma: the same address for all that write dumps */
	r->addr = take64(c);
	r->code_size = take64(c);
	r->code_idx = take64(c);
	r->name = take_string(c);
	if (c->failed || c->p == c->end) /* no bytes of the code at all */
		return;
	if (has(c, r->code_size))
		r->code = c->p;
}

static void read_move(struct content *c, struct pw_jit_record *r)
{
	r->pid = take32(c);
	r->tid = take32(c);
	take64(c); /* vma */
	r->addr = take64(c);
	r->new_addr = take64(c);
	r->code_size = take64(c);
	r->code_idx = take64(c);
}

static void read_debug(struct content *c, struct pw_jit_record *r)
{
	r->addr = take64(c);
	r->lines.n = take64(c);
	r->lines.code_addr = r->addr;
	r->lines.p = c->p;
	r->lines.end = c->end;
	r->lines.swap = c->swap;
	/* an entry takes 17 bytes at the least */
	if (r->lines.n > (uint64_t)(c->end - c->p) / 17)
		c->failed = true;
}

static void read_unwind(struct content *c, struct pw_jit_record *r)
{
	r->unwind_size = take64(c);
	r->eh_frame_hdr_size = take64(c);
	r->mapped_size = take64(c);
	if (has(c, r->unwind_size) && r->unwind_size >= r->eh_frame_hdr_size)
		r->unwind = c->p;
	else
		c->failed = true;
}

/* False: its content does not fit its size. */
static bool read_content(struct pw_jitdump *d, struct pw_jit_record *r)
{
	struct content c = { .p = d->data + r->off + PREFIX_SIZE,
			     .end = d->data + r->off + r->size_bytes,
			     .swap = d->swap };

	switch (r->type) {
	case PW_JIT_LOAD:
		read_load(&c, r);
		break;
	case PW_JIT_MOVE:
		read_move(&c, r);
		break;
	case PW_JIT_DEBUG_INFO:
		read_debug(&c, r);
		break;
	case PW_JIT_UNWINDING_INFO:
		read_unwind(&c, r);
		break;
	}
	return !c.failed;
}

/* --- records ------------------------------------------------------------------- */

static void note_malformed(struct pw_jitdump *d, const struct pw_jit_record *r)
{
	static const char *const names[] = { "CODE_LOAD", "CODE_MOVE",
					     "DEBUG_INFO", "CODE_CLOSE",
					     "UNWINDING_INFO" };

	if (!d->counts.malformed++ && !d->counts.first_fault.code)
		pw_err_at(
			&d->counts.first_fault, EINVAL, r->off,
			"the content of a %s record does not fit its %u bytes",
			names[r->type], r->size_bytes);
}

/* What cannot be framed ends the reading: there is no mark to go on from. */
static bool end_with_tail(struct pw_jitdump *d)
{
	uint64_t left = d->size - d->at;
	uint32_t size = left >= 8 ? load32(d->data + d->at + 4, d->swap) : 0;
	struct pw_err *fault = &d->counts.first_fault;

	d->counts.tail_bytes = left;
	if (!left || fault->code)
		return false;
	if (left < 8)
		pw_err_at(
			fault, EINVAL, d->at,
			"the file is cut: a record expected, found %llu bytes",
			(unsigned long long)left);
	else if (size < PREFIX_SIZE)
		pw_err_at(
			fault, EINVAL, d->at,
			"a record of %u bytes, at least 16 expected: the %llu bytes from here on are not read",
			size, (unsigned long long)left);
	else
		pw_err_at(
			fault, EINVAL, d->at,
			"the file is cut: a record of %u bytes expected, found %llu",
			size, (unsigned long long)left);
	return false;
}

static bool next_frame(struct pw_jitdump *d, struct pw_jit_record *r)
{
	uint64_t left = d->size - d->at;

	memset(r, 0, sizeof(*r));
	if (left < PREFIX_SIZE)
		return end_with_tail(d);
	r->off = d->at;
	r->type = load32(d->data + d->at, d->swap);
	r->size_bytes = load32(d->data + d->at + 4, d->swap);
	r->time = load64(d->data + d->at + 8, d->swap);
	if (r->size_bytes < PREFIX_SIZE || r->size_bytes > left)
		return end_with_tail(d);
	d->at += r->size_bytes;
	if (r->time < d->last_time)
		d->counts.backward++;
	d->last_time = r->time;
	return true;
}

bool pw_jitdump_next(struct pw_jitdump *d, struct pw_jit_record *r)
{
	while (next_frame(d, r)) {
		if (!read_content(d, r)) {
			note_malformed(d, r);
			continue;
		}
		if (r->type < PW_N_JIT_TYPES)
			d->counts.records[r->type]++;
		else
			d->counts.unknown++;
		return true;
	}
	return false;
}

/* --- lines --------------------------------------------------------------------- */

/* An entry: address u64, line u32, discriminator u32, file; a file of the
 * byte 0xff alone is that of the entry before. */
bool pw_jit_lines_next(struct pw_jit_lines *l, struct pw_jit_line *line)
{
	struct content c = { .p = l->p, .end = l->end, .swap = l->swap };
	const char *file;

	if (!l->n)
		return false;
	line->code_off = take64(&c) - l->bias - l->code_addr;
	line->line = take32(&c);
	line->discriminator = take32(&c);
	file = take_string(&c);
	if (c.failed) {
		l->n = 0;
		return false;
	}
	if (!line->file || strcmp(file, "\xff"))
		line->file = file;
	l->p = c.p;
	l->n--;
	return true;
}
