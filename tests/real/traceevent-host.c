// SPDX-License-Identifier: GPL-2.0-only
/*
 * traceevent-host: prints one context switch through the libtraceevent of the
 * system with the plugins of $TRACEEVENT_PLUGIN_DIR, as trace-cmd does.
 */
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>
#include <trace-seq.h>

static const char format[] =
	"name: sched_switch\n"
	"ID: 316\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"
	"\n"
	"print fmt: \"plain\"\n";

struct raw {
	unsigned short type;
	unsigned char flags, preempt_count;
	int pid;
	char prev_comm[16];
	int prev_pid, prev_prio;
	long prev_state;
	char next_comm[16];
	int next_pid, next_prio;
};

int main(void)
{
	struct raw raw = { .type = 316,
			   .pid = 7,
			   .prev_comm = "wasmtime",
			   .prev_pid = 7,
			   .prev_prio = 120,
			   .prev_state = 0x102,
			   /* as long as a name may be, and no zero */
			   .next_comm = "kworker/u8:0-eve",
			   .next_pid = 8,
			   .next_prio = 100 };
	struct tep_record record = { .size = sizeof(raw), .data = &raw };
	struct tep_handle *tep = tep_alloc();
	struct tep_plugin_list *plugins;
	struct tep_event *event;
	struct trace_seq s;

	if (!tep)
		return 2;
	tep_set_long_size(tep, sizeof(long));
	plugins = tep_load_plugins(tep);
	if (tep_parse_event(tep, format, strlen(format), "sched"))
		return 2;
	event = tep_find_event(tep, 316);
	if (!event)
		return 2;
	trace_seq_init(&s);
	tep_print_event(tep, &s, &record, "%s", TEP_PRINT_INFO);
	trace_seq_putc(&s, '\n');
	trace_seq_do_printf(&s);
	trace_seq_destroy(&s);
	tep_unload_plugins(plugins, tep);
	tep_free(tep);
	return 0;
}
