// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-wasm-traceevent.so: the text of context switches and of page faults,
 * with the role of tasks of runtimes and the wasm function that they were
 * last seen in. A switch carries no address of the program, so that function
 * is told by exceptions:page_fault_user of the same trace. Any program that
 * prints events through libtraceevent loads it: perf script, trace-cmd,
 * KernelShark.
 *
 * Only functions are called that perf lends to plugins; the version of
 * libtraceevent does not matter.
 */
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>
#include <trace-seq.h>

#include "traceevent.h"

#pragma GCC visibility push(default)
int TEP_PLUGIN_LOADER(struct tep_handle *tep);
int TEP_PLUGIN_UNLOADER(struct tep_handle *tep);
#pragma GCC visibility pop

/* --- parts of the text ------------------------------------------------------------ */

/* Copies a name, which may lack its zero and hold control characters. */
static const char *comm_field(struct tep_event *event,
			      struct tep_record *record, const char *field,
			      char dst[17])
{
	int len = 0;
	const char *raw =
		tep_get_field_raw(NULL, event, field, record, &len, 0);

	if (!raw || len < 0)
		len = 0;
	if (len > 16)
		len = 16;
	memcpy(dst, raw ? raw : "", (size_t)len);
	dst[len] = 0;
	for (char *p = dst; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	return dst;
}

static unsigned long long number(struct tep_event *event,
				 struct tep_record *record, const char *field)
{
	/* tep_get_field_val() knows no common_pid */
	struct tep_format_field *f = tep_find_any_field(event, field);
	unsigned long long v = 0;

	return !f || tep_read_number_field(f, record->data, &v) ? 0 : v;
}

/* Kernels from 4.14 on: a bit for each letter, then that of preemption. */
static void put_state(struct trace_seq *s, unsigned long long state)
{
	static const char letters[] = "SDTtXZPI";
	bool any = false;

	for (int i = 0; i < 8; i++)
		if (state & 1ULL << i) {
			trace_seq_putc(s, (unsigned char)letters[i]);
			any = true;
		}
	if (!any)
		trace_seq_putc(s, 'R');
	if (state & 0x100)
		trace_seq_putc(s, '+');
}

/* " {wasm V8 main, f42 fib}", or nothing for other tasks. */
static void put_wasm(struct trace_seq *s, struct te_code *code,
		     const char *comm, uint32_t tid)
{
	const struct te_role *r = te_role_of(comm);
	bool has = te_code_has(code, tid);
	const char *func = has ? te_code_last(code, tid) : NULL;

	if (!r && !has)
		return;
	trace_seq_puts(s, " {wasm");
	if (r)
		trace_seq_printf(s, " %s", r->runtime);
	if (r && *r->role)
		trace_seq_printf(s, " %s", r->role);
	else if (has)
		trace_seq_puts(s, te_code_is_main(code, tid) ? " main"
							     : " thread");
	if (func)
		trace_seq_printf(s, ", %s", func);
	trace_seq_putc(s, '}');
}

/* --- events ------------------------------------------------------------------------- */

static int print_switch(struct trace_seq *s, struct tep_record *record,
			struct tep_event *event, void *context)
{
	struct te_code *code = context;
	uint32_t prev = (uint32_t)number(event, record, "prev_pid");
	uint32_t next = (uint32_t)number(event, record, "next_pid");
	char comm[17];

	comm_field(event, record, "prev_comm", comm);
	trace_seq_printf(s, "%s:%u [%lld] ", comm, prev,
			 (long long)number(event, record, "prev_prio"));
	put_state(s, number(event, record, "prev_state"));
	put_wasm(s, code, comm, prev);
	comm_field(event, record, "next_comm", comm);
	trace_seq_printf(s, " ==> %s:%u [%lld]", comm, next,
			 (long long)number(event, record, "next_prio"));
	put_wasm(s, code, comm, next);
	return 0;
}

static int print_fault(struct trace_seq *s, struct tep_record *record,
		       struct tep_event *event, void *context)
{
	uint32_t tid = (uint32_t)number(event, record, "common_pid");
	unsigned long long ip = number(event, record, "ip");
	const char *func = te_code_at(context, tid, ip);

	trace_seq_printf(s, "address=0x%llx ip=0x%llx error_code=0x%llx",
			 number(event, record, "address"), ip,
			 number(event, record, "error_code"));
	if (func)
		trace_seq_printf(s, " {wasm %s}", func);
	return 0;
}

static const struct {
	const char *system, *name;
	tep_event_handler_func print;
} handlers[] = {
	{ "sched", "sched_switch", print_switch },
	{ "exceptions", "page_fault_user", print_fault },
};
#define N_HANDLERS (sizeof(handlers) / sizeof(*handlers))

/* --- loader and unloader --------------------------------------------------------------- */

/* libtraceevent has no place for a plugin's data: one for each handle. */
static struct loaded {
	struct loaded *next;
	struct tep_handle *tep;
	struct te_code *code;
} * all_loaded;

int TEP_PLUGIN_LOADER(struct tep_handle *tep)
{
	struct loaded *l = pw_zalloc(sizeof(*l));

	l->tep = tep;
	l->code = te_code_new();
	l->next = all_loaded;
	all_loaded = l;
	for (size_t i = 0; i < N_HANDLERS; i++)
		tep_register_event_handler(tep, -1, handlers[i].system,
					   handlers[i].name, handlers[i].print,
					   l->code);
	return 0;
}

int TEP_PLUGIN_UNLOADER(struct tep_handle *tep)
{
	struct loaded **at = &all_loaded, *l;

	while (*at && (*at)->tep != tep)
		at = &(*at)->next;
	l = *at;
	if (!l)
		return 0;
	for (size_t i = 0; i < N_HANDLERS; i++)
		tep_unregister_event_handler(tep, -1, handlers[i].system,
					     handlers[i].name,
					     handlers[i].print, l->code);
	*at = l->next;
	te_code_free(l->code);
	free(l);
	return 0;
}
