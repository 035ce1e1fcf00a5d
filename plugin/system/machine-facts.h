/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a machine is, gathered as facts "GROUP/KEY". A file that cannot be read
 * gives no fact, never an empty one.
 */
#ifndef MACHINE_FACTS_H
#define MACHINE_FACTS_H

#include "system-impl.h"

struct machine {
	struct pw_series_out *out;
	int root;
	bool is_this_machine;
	struct reading reading;
};

/* The value without blanks around it, one line, at most some KB. */
void machine_fact(struct machine *m, const char *group, const char *key,
		  struct span value);
void machine_printf(struct machine *m, const char *group, const char *key,
		    const char *fmt, ...) PW_PRINTF(4, 5);
/* A whole file below the root, which is borrowed until the next one; n is 0
 * when there is none. Its path is made as by printf. */
struct span machine_text(struct machine *m, const char *fmt, ...)
	PW_PRINTF(2, 3);
void machine_file(struct machine *m, const char *group, const char *key,
		  const char *path);
/* The names in a directory, sorted, without those that begin with a dot; NULL
 * when there are none. pw_strings_free(). */
char **machine_names(struct machine *m, const char *path);
/* What a link points to, its last part only; the caller frees; NULL: none. */
char *machine_link(struct machine *m, const char *path);

void machine_cpus(struct machine *m);
void machine_memory(struct machine *m);
void machine_kernel(struct machine *m);
void machine_config(struct machine *m);
void machine_sysctl(struct machine *m);
void machine_mounts(struct machine *m);
void machine_disks(struct machine *m);
void machine_nics(struct machine *m);

#endif
