/* SPDX-License-Identifier: GPL-2.0-only */
/* metrics-source: the metrics of a capture, for the commands that read them. */
#ifndef PW_CMD_METRICS_SOURCE_H
#define PW_CMD_METRICS_SOURCE_H

#include <perfwasm/metrics.h>

/*
 * Of a capture's directory, a series or a recording of APerf; path NULL: perf-wasm.data. Only the
 * window of seconds, in ns (pw_metrics_window()). The caller frees; NULL: err
 * says why.
 */
struct pw_metrics *cmd_metrics_read(const char *path, uint64_t from_ns,
				    uint64_t to_ns, struct pw_err *err);
/* Of time 0 of their clock, in ns since 1970; 0: nobody told. */
uint64_t cmd_metrics_epoch_ns(const struct pw_metrics *m);

#endif
