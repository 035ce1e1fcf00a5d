// SPDX-License-Identifier: GPL-2.0-only
/*
 * Texts about memory: vmstat, meminfo, of nodes too, free blocks, slabs, zram.
 * Formats: Documentation/filesystems/proc.rst of Linux.
 */
#include "system-impl.h"

#include <unistd.h>

/* --- vmstat ------------------------------------------------------------------------ */

/* nr_ is a level but for these, which count events (mm/vmstat.c of Linux). */
static const char *const counting[] = {
	"nr_dirtied",
	"nr_written",
	"nr_throttled_written",
	"nr_vmscan_write",
	"nr_vmscan_immediate_reclaim",
	"nr_foll_pin_acquired",
	"nr_foll_pin_released",
	"nr_tlb_remote_flush",
	"nr_tlb_remote_flush_received",
	"nr_tlb_local_flush_all",
	"nr_tlb_local_flush_one",
};

static bool is_level(struct span name)
{
	if (span_is(name, "workingset_nodes"))
		return true;
	if (!span_starts(name, "nr_"))
		return false;
	for (size_t i = 0; i < sizeof(counting) / sizeof(*counting); i++)
		if (span_is(name, counting[i]))
			return false;
	return true;
}

void parse_vmstat(struct part *p, const struct sink *k)
{
	struct span line, name;
	uint64_t v;

	while (take_line(&p->left, &line))
		if (take_word(&line, &name) && take_numbers(&line, &v, 1))
			sink_value(k,
				   is_level(name) ? TABLE_VMSTAT_LEVEL
						  : TABLE_VMSTAT,
				   NO_SPAN, name, v);
}

/* --- meminfo ------------------------------------------------------------------------- */

/* "MemTotal:  24684084 kB"; what has no unit is a number of huge pages. */
static void memory_line(struct span line, struct span instance, enum table kib,
			enum table count, const struct sink *k)
{
	struct span name, unit;
	uint64_t v;

	if (take_until(&line, ':', &name) && take_numbers(&line, &v, 1))
		sink_value(k, take_word(&line, &unit) ? kib : count, instance,
			   name, v);
}

void parse_meminfo(struct part *p, const struct sink *k)
{
	struct span line;

	while (take_line(&p->left, &line))
		memory_line(line, NO_SPAN, TABLE_MEMINFO, TABLE_MEMINFO_COUNT,
			    k);
}

/* "Node 0 MemTotal:  ..." */
void parse_numa_memory(struct part *p, const struct sink *k)
{
	struct span line, word;

	while (take_line(&p->left, &line)) {
		if (!take_word(&line, &word) || !take_word(&line, &word))
			continue;
		if (line.n) {
			line.s++;
			line.n--;
		}
		memory_line(line, p->instance, TABLE_NUMA_MEMORY,
			    TABLE_NUMA_MEMORY_COUNT, k);
	}
}

void parse_numastat(struct part *p, const struct sink *k)
{
	struct span line, name;
	uint64_t v;

	while (take_line(&p->left, &line))
		if (take_word(&line, &name) && take_numbers(&line, &v, 1))
			sink_value(k, TABLE_NUMA, p->instance, name, v);
}

/* --- free blocks ----------------------------------------------------------------------- */

/* "Node 0, zone Normal[, type Movable] n n n ...": a number for each order. */
static void block_line(struct span line, enum table table, bool typed,
		       const struct sink *k)
{
	struct span node, zone, type, word;
	struct joined a, b, c;
	uint64_t v;

	if (!take_word(&line, &word) || !span_is(word, "Node") ||
	    !take_until(&line, ',', &node) || !take_word(&node, &node) ||
	    !take_word(&line, &word) || !span_is(word, "zone") ||
	    !take_word(&line, &zone))
		return;
	if (zone.s[zone.n - 1] == ',')
		zone.n--;
	zone = join(&b, join(&a, SPAN("node"), "", node), " ", zone);
	if (typed) {
		if (!take_word(&line, &word) || !span_is(word, "type") ||
		    !take_word(&line, &type))
			return;
		zone = join(&c, zone, " ", type);
	}
	for (uint32_t i = 0; i < 32 && take_word(&line, &word); i++) {
		char digits[] = { (char)('0' + i / 10), (char)('0' + i % 10) };
		struct span order = { digits + (i < 10), 1 + (i >= 10) };

		/* ">100000": counting it all takes too long for the kernel */
		if (word.n && *word.s == '>') {
			word.s++;
			word.n--;
		}
		if (!span_number(word, &v))
			return;
		sink_value(k, table, zone, join(&a, SPAN("order"), "", order),
			   v);
	}
}

void parse_buddy(struct part *p, const struct sink *k)
{
	struct span line;

	while (take_line(&p->left, &line))
		block_line(line, TABLE_BUDDY, false, k);
}

/* The second half counts blocks by type, which does not say "type". */
void parse_pagetype(struct part *p, const struct sink *k)
{
	struct span line;

	while (take_line(&p->left, &line))
		block_line(line, TABLE_PAGETYPE, true, k);
}

/* --- slabs -------------------------------------------------------------------------------- */

/* "name active objects size objects/slab pages/slab : tunables n n n :
 * slabdata active slabs shared" */
void parse_slab(struct part *p, const struct sink *k)
{
	uint64_t page_kib = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
	struct span line, name, word;
	uint64_t v[5], data[2], row[3];

	while (take_line(&p->left, &line)) {
		if (!take_word(&line, &name) || *name.s == '#' ||
		    take_numbers(&line, v, 5) < 5 || !v[1] ||
		    !take_until(&line, ':', &word) ||
		    !take_until(&line, ':', &word) ||
		    !take_word(&line, &word) ||
		    take_numbers(&line, data, 2) < 2)
			continue;
		row[0] = v[0];
		row[1] = v[1];
		row[2] = data[1] * v[4] * page_kib;
		k->row(k->ctx, TABLE_SLAB, name, NO_SPAN, row);
	}
}

/* Documentation/admin-guide/blockdev/zram.rst: mm_stat. */
void parse_zram(struct part *p, const struct sink *k)
{
	struct span line;
	uint64_t v[6];

	if (take_line(&p->left, &line) && take_numbers(&line, v, 6) == 6 &&
	    v[0])
		k->row(k->ctx, TABLE_ZRAM, p->instance, NO_SPAN, v);
}
