/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pmu's own: a plan (events and figures of a family and of the user's file),
 * the devices that count, groups of events, and a text's way to an event's
 * code. Knows nothing of time.
 */
#ifndef PMU_IMPL_H
#define PMU_IMPL_H

#include <perfwasm/pmu.h>
#include <perfwasm/report.h>

/* --- CPUs -------------------------------------------------------------------------- */

/* CPUs by number, as the kernel writes lists: "0-3,8". Zeroed: none. */
struct cpus {
	uint64_t *bits;
	uint32_t n; /* words */
};
void cpus_release(struct cpus *c);
/* False, and none, when it is no such list. */
bool cpus_parse(struct cpus *c, const char *text);
bool cpus_has(const struct cpus *c, uint32_t cpu);
uint32_t cpus_count(const struct cpus *c);
/* The least that is not less than cpu; UINT32_MAX: none. */
uint32_t cpus_next(const struct cpus *c, uint32_t cpu);

/* --- a small file's text ------------------------------------------------------------ */

/* Below root, without white space at its end; NULL when it cannot be read. The
 * caller frees. */
char *read_text(const char *root, const char *path);

/* --- families of CPUs --------------------------------------------------------------- */

struct family {
	const char *name, *base, *title;
	uint32_t counters; /* that take any event, of one CPU */
	uint32_t width;    /* slots of a cycle */
};
struct family_event {
	const char *family, *name, *code, *pfm;
	uint32_t flags;
};
enum {
	EVENT_FIXED = 1,   /* has a counter of its own */
	EVENT_LEADS = 2,   /* must be its group's first */
	EVENT_FOLLOWS = 4, /* counts only behind such a one */
	EVENT_ALWAYS = 8,  /* whatever the formulas name */
};
struct family_figure {
	const char *family, *name, *unit, *formula, *about;
	enum pw_better better;
};
/* By the first processor of /proc/cpuinfo's text; never NULL. */
const struct family *family_by_cpuinfo(const char *cpuinfo);
const struct family *family_find(const char *name);
const struct family *family_get(uint32_t i); /* NULL: no more */
const struct family_event *family_events(uint32_t *n);
const struct family_figure *family_figures(uint32_t *n);

/* --- devices and codes ---------------------------------------------------------------- */

/* A PMU of /sys/bus/event_source/devices, or the kernel's own of no folder:
 * "software", "hardware". */
struct device {
	char *name;
	uint32_t type;
	struct cpus cpus; /* that it counts on; none: all */
};
struct devices {
	const char *root;
	struct device *list;
	uint32_t n;
	int core; /* index of that of the CPU's cores, or -1 */
};
void devices_open(struct devices *d, const char *root);
void devices_close(struct devices *d);
/* Index, or -errno and why. "cpu" and "core" are the cores' whatever their
 * name. */
int devices_find(struct devices *d, const char *name, struct pw_err *err);

/* "DEVICE/event=0x2e,umask=0x41/", or "event=..." alone: of the cores. Terms as
 * the device's format folder says, or names of its events folder, or config=.
 * "DEVICE::NAME" or NAME alone: an event of libpfm. Index of its device or
 * -EINVAL, -ENODEV, -ENOENT and why. */
int code_parse(struct devices *d, const char *text, struct pw_pmu_code *out,
	       struct pw_err *err);
/* The part of it that libpfm knows. */
int code_by_name(struct devices *d, const char *name, struct pw_pmu_code *out,
		 struct pw_err *err);

/* --- the plan -------------------------------------------------------------------------- */

#define GROUP_EVENTS 16
#define MAX_GROUPS   23 /* and a table of software events */

struct event {
	char *name, *text;
	struct pw_pmu_code code;
	int device; /* index; -1: see missing */
	uint32_t flags, line;
	bool tried;
	char *missing; /* why it cannot be counted */
};
struct figure {
	char *name, *unit, *formula, *about;
	enum pw_better better;
	uint32_t line; /* of the user's file; 0: the family's */
	uint16_t events[GROUP_EVENTS];
	uint32_t n;
	int group; /* that has all its events; -1: none has */
	char *missing;
};
struct plan {
	const struct family *family;
	struct event *events;
	struct figure *figures;
	uint32_t n_events, n_figures;
};
void plan_release(struct plan *p);
/* What a family and its bases have. Codes are not looked up. */
void plan_family(struct plan *p, const struct family *f);
/* One more, or another in place of one of that name. */
struct event *plan_event(struct plan *p, const char *name, const char *text,
			 uint32_t flags, uint32_t line);
struct figure *plan_figure(struct plan *p, const char *name,
			   const char *formula, uint32_t line);
struct event *plan_find_event(const struct plan *p, const char *name);
struct figure *plan_find_figure(const struct plan *p, const char *name);
void figure_set(char **field, const char *text);
/* The user's file, INI or APerf's JSON. */
int plan_read(struct plan *p, const char *path, struct pw_err *err);
/* Which events each formula names, and each event's code. What the user's own
 * file asks and is not there is an error; of a family it is missing. */
int plan_resolve(struct plan *p, struct devices *d, struct pw_err *err);
/* Names in a formula, one after another: NULL, then *text is what is left. */
const char *formula_name(const char **text, size_t *len);
/* Names that are no events: "seconds" (counted, of all CPUs together), "time"
 * (of the clock), "width" (slots of a cycle), "threads" (of a core). */
bool formula_constant(const char *name, size_t len);
/* --- groups ---------------------------------------------------------------------------- */

struct group {
	int device;
	uint16_t events[GROUP_EVENTS];
	uint32_t n, general; /* of them without a counter of their own */
};
struct groups {
	struct group list[MAX_GROUPS];
	uint32_t n;
};
/* The kernel's word on what fits together. add: into group g, which has n
 * events of which this is to be the next; 0 or -errno. drop: those from the nth
 * on are out again. move: a group has another number; there was none. */
struct trial {
	int (*add)(void *ctx, uint32_t g, uint32_t n, const struct event *e);
	void (*drop)(void *ctx, uint32_t g, uint32_t n);
	void (*move)(void *ctx, uint32_t to, uint32_t from);
	void *ctx;
};
/* Each figure's events into one group where they fit; figures share groups and
 * events. What even alone is not taken becomes missing. counters: at most so
 * many events of a group without a counter of their own. */
void groups_make(struct groups *g, struct plan *p, uint32_t counters,
		 const struct trial *t);

#endif
