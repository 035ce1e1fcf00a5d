// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generated code of the processes in a trace: jitdumps and perf maps, looked
 * for when a task is seen first, in $PERF_WASM_DIR or the current directory
 * (maps also in /tmp). The clock of a trace may be any, so the last code at
 * an address is taken. Knows nothing of events.
 */
#include "traceevent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uthash.h>

struct task {
	uint32_t tid, pid; /* pid 0: no code of it is told of */
	const char *last;
	UT_hash_handle hh;
};

struct te_code {
	struct pw_jitmap *map;
	char *dir;
	struct task *tasks;
	uint32_t *pids; /* whose files were looked for, and found or not */
	bool *found;
	uint32_t n_pids;
	char **texts; /* by index of the code; NULL: not asked for yet */
	uint32_t n_texts;
};

struct te_code *te_code_new(void)
{
	const char *dir = getenv("PERF_WASM_DIR");
	struct te_code *c = pw_zalloc(sizeof(*c));

	c->map = pw_jitmap_new();
	c->dir = pw_strdup(dir && *dir ? dir : ".");
	return c;
}

void te_code_free(struct te_code *c)
{
	struct task *t, *next;

	if (!c)
		return;
	HASH_ITER (hh, c->tasks, t, next) {
		HASH_DEL(c->tasks, t);
		free(t);
	}
	for (uint32_t i = 0; i < c->n_texts; i++)
		free(c->texts[i]);
	free(c->texts);
	free(c->pids);
	free(c->found);
	free(c->dir);
	pw_jitmap_free(c->map);
	free(c);
}

/* --- files ---------------------------------------------------------------------- */

static bool add(struct te_code *c, uint32_t pid, const char *dir, bool is_map)
{
	struct pw_jit_source s = { .pid = pid };
	char *path = pw_asprintf(is_map ? "%s/perf-%u.map" : "%s/jit-%u.dump",
				 dir, pid);
	int ret = access(path, R_OK);

	if (!ret && is_map)
		ret = pw_jitmap_add_perfmap(c->map, path, pid, NULL, NULL);
	else if (!ret)
		ret = pw_jitmap_add_dump(c->map, path, &s, NULL, NULL);
	free(path);
	return !ret;
}

/* Whether code of the process is told of. */
static bool look(struct te_code *c, uint32_t pid)
{
	bool found;
	uint32_t i;

	for (i = 0; i < c->n_pids; i++)
		if (c->pids[i] == pid)
			return c->found[i];
	found = add(c, pid, c->dir, false);
	if (!add(c, pid, c->dir, true))
		found |= add(c, pid, "/tmp", true);
	else
		found = true;
	c->pids = pw_realloc(c->pids, (i + 1) * sizeof(*c->pids));
	c->found = pw_realloc(c->found, (i + 1) * sizeof(*c->found));
	c->pids[i] = pid;
	c->found[i] = found;
	c->n_pids++;
	return found;
}

/* The process of a thread that still lives, else 0. */
static uint32_t process_of(uint32_t tid)
{
	char *path = pw_asprintf("/proc/%u/status", tid);
	struct pw_file f = { 0 };
	uint32_t pid = 0;
	const char *p;

	if (!pw_file_open(&f, path, NULL)) {
		p = memmem(f.data, f.size, "\nTgid:\t", 7);
		for (p = p ? p + 7 : NULL;
		     p && p < (const char *)f.data + f.size && *p >= '0' &&
		     *p <= '9';
		     p++)
			pid = pid * 10 + (uint32_t)(*p - '0');
		pw_file_close(&f);
	}
	free(path);
	return pid;
}

static struct task *task_get(struct te_code *c, uint32_t tid)
{
	struct task *t;
	uint32_t pid;

	HASH_FIND(hh, c->tasks, &tid, sizeof(tid), t);
	if (t)
		return t;
	t = pw_zalloc(sizeof(*t));
	t->tid = tid;
	if (tid && look(c, tid)) {
		t->pid = tid;
	} else if (tid) {
		pid = process_of(tid);
		if (pid && pid != tid && look(c, pid))
			t->pid = pid;
	}
	HASH_ADD(hh, c->tasks, tid, sizeof(tid), t);
	return t;
}

bool te_code_has(struct te_code *c, uint32_t tid)
{
	return task_get(c, tid)->pid;
}

bool te_code_is_main(struct te_code *c, uint32_t tid)
{
	return task_get(c, tid)->pid == tid;
}

/* --- functions -------------------------------------------------------------------- */

static char *text_of(const struct pw_jit_code *code)
{
	struct pw_jit_name n;

	pw_jit_name_parse(&n, code->name, strlen(code->name), PW_NAME_JIT);
	if (n.kind != PW_KIND_WASM || n.func_idx < 0)
		return pw_strdup(code->name);
	return pw_asprintf("f%lld%s%.*s", (long long)n.func_idx,
			   n.text_len ? " " : "", (int)n.text_len,
			   n.text_len ? n.text : "");
}

const char *te_code_at(struct te_code *c, uint32_t tid, uint64_t addr)
{
	struct task *t = task_get(c, tid);
	struct pw_jit_hit hit;
	uint32_t n;

	if (!t->pid || !pw_jitmap_find(c->map, t->pid, addr, PW_NO_TIME, &hit))
		return NULL;
	n = pw_jitmap_n_codes(c->map);
	if (n > c->n_texts) {
		c->texts = pw_realloc(c->texts, n * sizeof(*c->texts));
		memset(c->texts + c->n_texts, 0,
		       (n - c->n_texts) * sizeof(*c->texts));
		c->n_texts = n;
	}
	if (!c->texts[hit.code->idx])
		c->texts[hit.code->idx] = text_of(hit.code);
	return t->last = c->texts[hit.code->idx];
}

const char *te_code_last(struct te_code *c, uint32_t tid)
{
	return task_get(c, tid)->last;
}
