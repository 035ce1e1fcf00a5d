/* SPDX-License-Identifier: GPL-2.0-only */
/* The fields of one trace event, parsed from the text of its format. */
#ifndef PLUGIN_CAPTURE_TRACE_FORMAT_H
#define PLUGIN_CAPTURE_TRACE_FORMAT_H

#include <perfwasm/capture.h>

struct trace_fields;

/* Any text will do; of one that is no format no field is found. */
struct trace_fields *trace_fields_new(const char *text, size_t size, bool big,
				      unsigned int long_bytes);
void trace_fields_free(struct trace_fields *t);
/* As pw_capture_field(). */
int trace_fields_find(struct trace_fields *t, const char *name,
		      struct pw_field *f, struct pw_err *err);

#endif
