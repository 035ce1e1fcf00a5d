// SPDX-License-Identifier: GPL-2.0-only
/*
 * The .cdict files of perfwhiz (2016): zlib over MessagePack of a map with eight
 * lists of one length, a row for each event:
 *
 *   event   "sched__sched_switch", "sched__sched_stat_sleep" or "..._iowait",
 *           "kvm__kvm_entry", "kvm__kvm_exit"
 *   cpu, usecs since the first event, pid (tid), task_name, duration (us),
 *   next_pid, next_comm (of kvm_exit: the reason, of Intel's)
 *
 * A stat_sleep is written when its task is woken, so it is the wake-up. Why a
 * task left a CPU is in no row but these.
 */
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "msgpack.h"
#include "sched-impl.h"

#define SIZE_MOST    (1u << 30)
#define STATE_UNTOLD 4u /* of prev_state: none of those with a reason */
#define ISA_VMX      1u

enum { EVENT, CPU, USECS, PID, NAME, DURATION, NEXT_PID, NEXT_COMM, N_LISTS };
static const char *const list_names[N_LISTS] = {
	"event",     "cpu",      "usecs",    "pid",
	"task_name", "duration", "next_pid", "next_comm",
};

/* --- unpacking ------------------------------------------------------------------------- */

bool pw_sched_is_cdict(const void *data, size_t size)
{
	const uint8_t *p = data;

	/* zlib's: method 8, and a sum of the first two bytes */
	return size > 2 && (p[0] & 0x0f) == 8 && p[0] >> 4 <= 7 &&
	       (p[0] << 8 | p[1]) % 31 == 0;
}

static int inflate_all(const uint8_t *data, size_t size, struct pw_buf *to,
		       struct pw_err *err)
{
	z_stream z = { .next_in = (Bytef *)data, .avail_in = (uInt)size };
	uint8_t part[65536];
	int ret = size > UINT32_MAX ? Z_DATA_ERROR : inflateInit(&z);

	while (ret == Z_OK && to->len < SIZE_MOST) {
		z.next_out = part;
		z.avail_out = sizeof(part);
		ret = inflate(&z, Z_NO_FLUSH);
		pw_buf_add(to, part, sizeof(part) - z.avail_out);
		if (ret == Z_BUF_ERROR)
			break;
	}
	inflateEnd(&z);
	if (ret == Z_STREAM_END)
		return 0;
	return pw_err_at(err, EINVAL, z.total_in,
			 to->len >= SIZE_MOST
				 ? "a cdict of more than 1 GiB is not read"
				 : "this cdict is cut or damaged");
}

/* --- rows ------------------------------------------------------------------------------- */

struct rows {
	struct pw_cursor at[N_LISTS];
	uint32_t n[N_LISTS];
	uint32_t has; /* bits by list */
};

static int find_lists(struct rows *r, struct pw_cursor *c, struct pw_err *err)
{
	struct msg map = msg_next(c), key, list;

	if (map.kind == MSG_NUMBER && map.number == '{')
		return pw_err_set(
			err, ENOTSUP,
			"this cdict has the older form (marshal), which only the Python that wrote it reads; 'perf wasm sched' of the perf.data says more");
	for (uint32_t i = 0; map.kind == MSG_MAP && i < map.n && !c->failed;
	     i++) {
		key = msg_next(c);
		for (int k = 0; k < N_LISTS && key.kind == MSG_TEXT; k++) {
			if (key.n != strlen(list_names[k]) ||
			    memcmp(key.text, list_names[k], key.n))
				continue;
			r->at[k] = *c;
			list = msg_next(&r->at[k]);
			r->n[k] = list.kind == MSG_LIST ? list.n : 0;
			r->has |= 1u << k;
		}
		msg_skip(c);
	}
	if (c->failed)
		return -EINVAL;
	if (r->has != (1u << N_LISTS) - 1)
		return pw_err_set(
			err, EINVAL,
			"expected a cdict of perfwhiz with its eight lists, found something else");
	for (int k = 1; k < N_LISTS; k++)
		if (r->n[k] != r->n[0])
			return pw_err_set(
				err, EINVAL,
				"the lists of the cdict are not of one length: %u and %u",
				r->n[0], r->n[k]);
	return 0;
}

struct row {
	struct msg v[N_LISTS];
	uint64_t time_ns;
};

static bool is_event(const struct row *row, const char *name)
{
	const struct msg *m = &row->v[EVENT];
	size_t n = strlen(name);

	return m->kind == MSG_TEXT && m->n >= n &&
	       !memcmp(m->text + m->n - n, name, n);
}

static struct task *task_in(struct pw_sched *s, struct cpu *c,
			    const struct msg *tid, const struct msg *name)
{
	struct task *t;

	if (tid->kind != MSG_NUMBER || tid->number < 0 ||
	    tid->number > UINT32_MAX)
		return s->tasks[TASK_REST];
	t = task_on(s, c, (uint32_t)tid->number);
	if (name->kind == MSG_TEXT && t->idx > TASK_IRQ && !t->pub.is_idle)
		task_set_comm(t, name->text, name->n);
	return t;
}

static void feed_sleep(struct pw_sched *s, struct cpu *c, const struct row *row)
{
	struct task *t = task_in(s, c, &row->v[PID], &row->v[NAME]);

	if (t->state == TASK_OFF)
		t->reason = is_event(row, "stat_iowait") ? PW_OFF_BLOCKED
							 : PW_OFF_SLEEPING;
	s->has_wake = true;
	state_wake(s, row->time_ns, t,
		   s->tasks[c->cur == NO_TASK ? TASK_IRQ : c->cur]);
}

static void feed_row(struct pw_sched *s, const struct row *row)
{
	int64_t nr = row->v[CPU].number;
	struct cpu *c = nr < 0 ? NULL : cpu_of(s, (uint32_t)nr);
	struct task *t;

	if (!c)
		return;
	see_time(s, row->time_ns);
	if (is_event(row, "sched_switch")) {
		s->has_switch = true;
		t = task_in(s, c, &row->v[PID], &row->v[NAME]);
		if (c->since_ns == PW_NO_TIME)
			state_seen(s, c, row->time_ns, t);
		state_switch(s, c, row->time_ns, t, STATE_UNTOLD,
			     task_in(s, c, &row->v[NEXT_PID],
				     &row->v[NEXT_COMM]));
	} else if (is_event(row, "stat_sleep") ||
		   is_event(row, "stat_iowait")) {
		feed_sleep(s, c, row);
	} else if (is_event(row, "kvm_entry")) {
		kvm_entry(s, row->time_ns,
			  task_in(s, c, &row->v[PID], &row->v[NAME]));
	} else if (is_event(row, "kvm_exit")) {
		kvm_exit(s, row->time_ns,
			 task_in(s, c, &row->v[PID], &row->v[NAME]), ISA_VMX,
			 (uint32_t)row->v[NEXT_COMM].number);
	}
	c->last_ns = row->time_ns;
}

/* Behind 0, which other parts take for no time. */
#define START_NS 1000u

static int feed_rows(struct pw_sched *s, struct rows *r, struct pw_err *err)
{
	struct row row;
	int64_t us;

	for (uint32_t i = 0; i < r->n[0]; i++) {
		for (int k = 0; k < N_LISTS; k++) {
			row.v[k] = msg_next(&r->at[k]);
			if (r->at[k].failed)
				return err ? -err->code : -EINVAL;
		}
		us = row.v[USECS].number;
		if (us < 0 || us > INT64_MAX / 2000)
			continue;
		row.time_ns = START_NS + (uint64_t)us * 1000;
		feed_row(s, &row);
	}
	return 0;
}

int pw_sched_read_cdict(struct pw_sched *s, const void *data, size_t size,
			struct pw_err *err)
{
	struct rows r = { 0 };
	struct pw_buf all = { 0 };
	struct pw_err own = { 0 };
	struct pw_cursor c;
	int ret;

	if (!err)
		err = &own;
	ret = inflate_all(data, size, &all, err);
	if (!ret) {
		pw_cursor_init(&c, all.data, all.len, 0, err);
		ret = find_lists(&r, &c, err);
	}
	if (!ret)
		ret = feed_rows(s, &r, err);
	pw_buf_release(&all);
	return ret;
}
