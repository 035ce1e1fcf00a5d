// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the fields of scheduler events lie in their raw data: what the
 * capture's own tracing data say, else the format files of this machine, else
 * the layout that 64-bit kernels have had since 2.6.39 if the size agrees.
 */
#include "dlfilter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- from the capture ---------------------------------------------------------- */

static const char *const fields[] = {
	"common_type", "common_flags", "common_pid", "prev_comm",  "prev_pid",
	"prev_prio",   "prev_state",   "next_comm",  "next_pid",   "next_prio",
	"comm",        "pid",          "prio",       "target_cpu",
};

static const struct pw_attr *attr_of(const struct pw_capture *c,
				     const char *name)
{
	for (uint32_t i = 0; i < pw_capture_n_attrs(c); i++)
		if (!strcmp(pw_capture_attr(c, i)->name, name))
			return pw_capture_attr(c, i);
	return NULL;
}

static void print_field(struct pw_buf *b, const char *name,
			const struct pw_field *f)
{
	const char *number = f->size == 8   ? "long"
			     : f->size == 4 ? "int"
			     : f->size == 2 ? "short"
					    : "char";

	pw_buf_printf(b, "\tfield:%s%s %s", f->is_signed ? "" : "unsigned ",
		      f->is_text ? "char" : number, name);
	if (f->is_text)
		pw_buf_printf(b, "[%u]", f->size);
	pw_buf_printf(b, ";\toffset:%u;\tsize:%u;\tsigned:%d;\n", f->off,
		      f->size, f->is_signed);
}

/* A format that has what is needed of the recorded one. */
static bool from_capture(struct dl_filter *f, const char *name,
			 struct pw_buf *b)
{
	const struct pw_attr *a = f->records ? attr_of(f->records, name) : NULL;
	struct pw_field field;
	bool any = false;

	if (!a)
		return false;
	pw_buf_printf(b, "name: %s\nID: 1\nformat:\n", strchr(name, ':') + 1);
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		if (pw_capture_field(f->records, a, fields[i], &field, NULL) ||
		    field.is_dynamic || field.swap)
			continue;
		print_field(b, fields[i], &field);
		any = true;
	}
	pw_buf_printf(b, "\nprint fmt: \"\"\n");
	return any;
}

/* --- from tracefs ----------------------------------------------------------------- */

static bool from_tracefs(const char *name, struct pw_buf *b)
{
	static const char *const roots[] = { "/sys/kernel/tracing",
					     "/sys/kernel/debug/tracing" };
	struct pw_file file;

	for (size_t i = 0; i < 2; i++) {
		char *path = pw_asprintf("%s/events/sched/%s/format", roots[i],
					 strchr(name, ':') + 1);
		int ret = pw_file_open(&file, path, NULL);

		free(path);
		if (ret)
			continue;
		pw_buf_add(b, file.data, file.size);
		pw_file_close(&file);
		return b->len > 0;
	}
	return false;
}

/* --- as documented ---------------------------------------------------------------- */

#define COMMON                                                                 \
	"ID: 1\nformat:\n"                                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"

static const char switch_format[] =
	"name: sched_switch\n" COMMON
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:int prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:int next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"
	"\nprint fmt: \"\"\n";

static const char wakeup_format[] =
	"name: sched_wakeup\n" COMMON
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:int pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n"
	"\nprint fmt: \"\"\n";

/* Raw data are padded so that they and their size fill words of 8 bytes. */
static bool as_documented(const char *name, uint32_t raw_size, struct pw_buf *b)
{
	bool is_switch = !strcmp(name, "sched:sched_switch");
	uint32_t size = is_switch ? 64 : 36;

	if (sizeof(long) != 8 || raw_size < size || raw_size > size + 8)
		return false;
	pw_buf_printf(b, "%s", is_switch ? switch_format : wakeup_format);
	return true;
}

/* --- all three ---------------------------------------------------------------------- */

bool dl_formats_set(struct dl_filter *f, uint32_t event, const char *name,
		    uint32_t raw_size)
{
	struct pw_buf b = { 0 };
	struct pw_err err = { 0 };
	bool is_found;

	if (strcmp(name, "sched:sched_switch") &&
	    strcmp(name, "sched:sched_wakeup") &&
	    strcmp(name, "sched:sched_wakeup_new"))
		return false;
	is_found = from_capture(f, name, &b);
	if (!is_found) {
		b.len = 0;
		is_found = from_tracefs(name, &b);
	}
	if (!is_found && as_documented(name, raw_size, &b)) {
		is_found = true;
		dl_note(f,
			"neither the capture nor this machine tells the layout of %s: the usual one was taken, whose size agrees",
			name);
	}
	if (!is_found)
		dl_note(f, "%s tells of nothing: its layout is not known",
			name);
	else if (pw_profile_set_format(f->profile, event, pw_buf_str(&b), b.len,
				       &err))
		dl_note(f, "%s tells of nothing: %s", name, err.msg);
	pw_buf_release(&b);
	return true;
}
