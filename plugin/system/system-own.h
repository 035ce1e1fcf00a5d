/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recorder's own tables, which stand before those of system-sources.def.
 */
#ifndef SYSTEM_OWN_H
#define SYSTEM_OWN_H

#define SOURCES_TABLE  "sources"
#define RECORDER_TABLE "recorder"

enum own_table { OWN_SOURCES, OWN_RECORDER, N_OWN_TABLES };

/* Columns of OWN_SOURCES. */
enum {
	COLUMN_READS,
	COLUMN_OFFSET, /* of the last reading from its readout, us */
	COLUMN_COST,   /* us of CPU time */
	COLUMN_FAILURES,
	COLUMN_EVERY, /* ms */
	N_SOURCE_COLUMNS
};

#endif
