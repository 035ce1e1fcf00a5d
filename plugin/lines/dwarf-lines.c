// SPDX-License-Identifier: GPL-2.0-only
/*
 * Line tables: which compilation unit an address is in, found once for all
 * units, and the row of its line table, which libdw reads when the first
 * address of the unit is asked for. Knows nothing of inlined calls.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dwarf.h"

#define MAX_TABLE_BYTES  ((uint64_t)4 << 20)
#define MAX_TABLES_BYTES ((uint64_t)64 << 20)
#define MAX_BACK         64 /* rows looked at for a line */

struct unit {
	Dwarf_Die die;
	Dwarf_Lines *lines;
	size_t n_lines;
	struct scopes scopes;
	uint64_t table_bytes;
	bool read;
};

struct unit_range {
	uint64_t lo, hi;
	uint64_t reach; /* the highest hi up to this range */
	uint32_t unit;
};

struct dwarf_lines {
	int fd;
	Dwarf *dw;
	uint64_t code_off, code_size;
	struct budget budget;
	struct unit *units;
	uint32_t n_units, cap_units;
	struct unit_range *ranges;
	uint32_t n_ranges, cap_ranges;
	struct pw_err fault;
};

/* --- units and their ranges ------------------------------------------------------ */

static void add_unit_range(struct dwarf_lines *d, uint64_t lo, uint64_t hi)
{
	if (d->n_ranges == d->cap_ranges) {
		d->cap_ranges = d->cap_ranges ? 2 * d->cap_ranges : 64;
		d->ranges = pw_realloc(d->ranges,
				       d->cap_ranges * sizeof(*d->ranges));
	}
	d->ranges[d->n_ranges++] = (struct unit_range){
		.lo = lo, .hi = hi, .unit = d->n_units - 1
	};
}

/* The size of the line table that a unit names, by its own length field. */
static uint64_t table_bytes(Dwarf_Die *die, const struct pw_cursor *section)
{
	struct pw_cursor c = *section;
	Dwarf_Attribute attr;
	Dwarf_Word off;
	uint64_t n;

	if (!dwarf_attr(die, DW_AT_stmt_list, &attr) ||
	    dwarf_formudata(&attr, &off))
		return 0;
	pw_cursor_bytes(&c, off);
	n = pw_cursor_u32(&c);
	if (n == UINT32_MAX)
		n = pw_cursor_u64(&c);
	/* a table that ends behind the section is libdw's to refuse */
	return n < pw_cursor_left(&c) ? n : pw_cursor_left(&c);
}

static void add_unit(struct dwarf_lines *d, const Dwarf_Die *die,
		     const struct pw_cursor *line_section)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;
	struct unit *u;

	if (d->n_units == d->cap_units) {
		d->cap_units = d->cap_units ? 2 * d->cap_units : 16;
		d->units =
			pw_realloc(d->units, d->cap_units * sizeof(*d->units));
	}
	u = &d->units[d->n_units++];
	*u = (struct unit){ .die = *die };
	u->table_bytes = table_bytes(&u->die, line_section);
	while (d->budget.n_ranges &&
	       (at = dwarf_ranges(&u->die, at, &base, &lo, &hi)) > 0) {
		d->budget.n_ranges--;
		/* what the linker dropped stands at 0 or beyond the code */
		if (lo && lo < hi && hi <= d->code_size)
			add_unit_range(d, lo, hi);
	}
}

static int by_lo(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

static void read_units(struct dwarf_lines *d,
		       const struct pw_cursor *line_section)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;
	uint64_t reach = 0;

	while (!dwarf_get_units(d->dw, cu, &cu, NULL, &type, &die, NULL)) {
		if (type == DW_UT_compile &&
		    dwarf_tag(&die) == DW_TAG_compile_unit)
			add_unit(d, &die, line_section);
	}
	if (d->n_ranges)
		qsort(d->ranges, d->n_ranges, sizeof(*d->ranges), by_lo);
	for (uint32_t i = 0; i < d->n_ranges; i++) {
		if (d->ranges[i].hi > reach)
			reach = d->ranges[i].hi;
		d->ranges[i].reach = reach;
	}
	if (!d->budget.n_ranges)
		pw_err_set(&d->fault, EINVAL,
			   "DWARF: more address ranges than there are bytes");
}

/* --- opening ------------------------------------------------------------------- */

static void find_line_section(const struct pw_module *m, struct pw_cursor *c)
{
	size_t size;
	const uint8_t *bytes = pw_module_bytes(m, &size);

	pw_cursor_init(c, bytes, 0, 0, NULL);
	for (uint32_t i = 0; i < pw_module_n_sections(m); i++) {
		const struct pw_section *s = pw_module_section(m, i);
		uint64_t off;

		if (s->id || s->name.len != 11 ||
		    memcmp(s->name.s, ".debug_line", 11))
			continue;
		off = (uint64_t)((const uint8_t *)s->name.s - bytes) + 11;
		pw_cursor_init(c, bytes + off, s->data_off + s->size - off, 0,
			       NULL);
		return;
	}
}

struct dwarf_lines *dwarf_lines_open(const struct pw_module *debug,
				     uint64_t code_off, uint64_t code_size,
				     struct pw_err *err)
{
	struct dwarf_lines *d;
	struct pw_cursor line_section;
	uint64_t bytes;
	int fd = debug_image(debug, &bytes, err);

	if (fd < 0)
		return NULL;
	d = pw_zalloc(sizeof(*d));
	d->fd = fd;
	d->code_off = code_off;
	d->code_size = code_size;
	d->budget = (struct budget){ bytes + 64, bytes + 64, MAX_TABLES_BYTES };
	d->dw = dwarf_begin(fd, DWARF_C_READ);
	if (!d->dw) {
		pw_err_set(err, EINVAL, "DWARF: %s", dwarf_errmsg(-1));
		dwarf_lines_close(d);
		return NULL;
	}
	find_line_section(debug, &line_section);
	read_units(d, &line_section);
	return d;
}

void dwarf_lines_close(struct dwarf_lines *d)
{
	if (!d)
		return;
	for (uint32_t i = 0; i < d->n_units; i++)
		scopes_release(&d->units[i].scopes);
	free(d->units);
	free(d->ranges);
	dwarf_end(d->dw);
	close(d->fd);
	free(d);
}

const char *dwarf_lines_fault(const struct dwarf_lines *d)
{
	return d->fault.code ? d->fault.msg : NULL;
}

/* --- finding ------------------------------------------------------------------ */

static void read_unit(struct dwarf_lines *d, struct unit *u)
{
	u->read = true;
	if (u->table_bytes > MAX_TABLE_BYTES ||
	    u->table_bytes > d->budget.line_bytes) {
		pw_err_set(
			&d->fault, E2BIG,
			"DWARF: line table of %s left out: too large (%llu bytes)",
			dwarf_diename(&u->die) ?: "a unit",
			(unsigned long long)u->table_bytes);
		return;
	}
	d->budget.line_bytes -= u->table_bytes;
	if (dwarf_getsrclines(&u->die, &u->lines, &u->n_lines)) {
		u->n_lines = 0;
		pw_err_set(&d->fault, EINVAL, "DWARF: line table of %s: %s",
			   dwarf_diename(&u->die) ?: "a unit",
			   dwarf_errmsg(-1));
		return;
	}
	scopes_read(&u->scopes, &u->die, d->code_size, &d->budget);
}

/* The number of rows at or before an address; they are in that order. */
static size_t rows_before(const struct unit *u, uint64_t addr)
{
	size_t lo = 0, hi = u->n_lines;
	Dwarf_Addr at;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (!dwarf_lineaddr(dwarf_onesrcline(u->lines, mid), &at) &&
		    at <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * The row of an address. Line 0 means that the compiler made the code for no
 * line of its own: the one before, of the same run of rows, is nearest.
 */
static Dwarf_Line *row_at(const struct unit *u, uint64_t addr, int *line,
			  bool *near)
{
	size_t first = rows_before(u, addr), i;

	*near = false;
	for (i = first; i && first - i < MAX_BACK; i--) {
		Dwarf_Line *row = dwarf_onesrcline(u->lines, i - 1);
		bool end = true;

		if (!row || dwarf_lineendsequence(row, &end) || end ||
		    dwarf_lineno(row, line))
			break;
		if (*line > 0)
			return row;
		*near = true;
	}
	return NULL;
}

static bool find_in_unit(struct dwarf_lines *d, struct unit *u, uint64_t addr,
			 struct pw_line_at *out)
{
	Dwarf_Line *row;
	Dwarf_Addr row_addr = addr;
	int line = 0, column = 0;
	const char *file;

	if (!u->read)
		read_unit(d, u);
	row = row_at(u, addr, &line, &out->near);
	file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
	if (!file)
		return false;
	dwarf_linecol(row, &column);
	if (out->near)
		dwarf_lineaddr(row, &row_addr);
	out->n_frames = 1;
	out->frames[0] = (struct pw_line_frame){
		.file = file,
		.line = (uint32_t)line,
		.column = column > 0 ? (uint32_t)column : 0,
	};
	scopes_find(&u->scopes, d->dw, &u->die, row_addr, out);
	return true;
}

bool dwarf_lines_find(struct dwarf_lines *d, uint64_t off,
		      struct pw_line_at *out)
{
	uint64_t addr = off - d->code_off;
	uint32_t lo = 0, hi = d->n_ranges;

	if (off < d->code_off || addr >= d->code_size)
		return false;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (d->ranges[mid].lo <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* ranges may overlap: the nearest first, as long as one reaches */
	while (lo-- && d->ranges[lo].reach > addr)
		if (d->ranges[lo].hi > addr &&
		    find_in_unit(d, &d->units[d->ranges[lo].unit], addr, out))
			return true;
	return false;
}
