// SPDX-License-Identifier: GPL-2.0-only
/*
 * Texts about disks and files. Formats: Documentation/admin-guide/iostats.rst
 * and Documentation/admin-guide/sysctl/fs.rst of Linux.
 */
#include "system-impl.h"

/* "major minor name" and 11 numbers; 15 with discards (4.18), 17 with flushes
 * (5.5). */
void parse_disk(struct part *p, const struct sink *k)
{
	struct span line, name;
	uint64_t dev[2], v[17], any;

	while (take_line(&p->left, &line)) {
		if (take_numbers(&line, dev, 2) < 2 ||
		    !take_word(&line, &name) || take_numbers(&line, v, 17) < 11)
			continue;
		any = 0;
		for (uint32_t i = 0; i < 17; i++)
			any |= v[i];
		if (any)
			k->row(k->ctx, TABLE_DISK, name, NO_SPAN, v);
	}
}

static void files_of(struct part *p, const char *a, const char *b, uint32_t at,
		     const struct sink *k)
{
	struct span line;
	uint64_t v[3];

	if (!take_line(&p->left, &line) || take_numbers(&line, v, 3) <= at)
		return;
	sink_value(k, TABLE_FILES, NO_SPAN,
		   (struct span){ a, (uint32_t)strlen(a) }, v[0]);
	if (b)
		sink_value(k, TABLE_FILES, NO_SPAN,
			   (struct span){ b, (uint32_t)strlen(b) }, v[at]);
}

void parse_file_nr(struct part *p, const struct sink *k)
{
	files_of(p, "open", "open_max", 2, k);
}

void parse_inode_nr(struct part *p, const struct sink *k)
{
	files_of(p, "inodes", "inodes_free", 1, k);
}

void parse_conntrack(struct part *p, const struct sink *k)
{
	files_of(p, "conntrack", NULL, 0, k);
}

void parse_conntrack_max(struct part *p, const struct sink *k)
{
	files_of(p, "conntrack_max", NULL, 0, k);
}
