// SPDX-License-Identifier: GPL-2.0-only
/*
 * The input is files of a recording of APerf: for each a byte that says which
 * it is, two with its size, and what it holds; or, where it begins as gzip does,
 * an archive of them. A refused one has a reason; of an accepted one all that is
 * told can be read, and judged by the rules of findings.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perfwasm/aperf.h>
#include <perfwasm/archive.h>
#include <perfwasm/findings.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {
	"r/cpu_utilization.bin", "r/vmstat.bin",        "r/meminfo.bin",
	"r/diskstats.bin",       "r/interrupts.bin",    "r/netstat.bin",
	"r/numastat.bin",        "r/processes.bin",     "r/memalloc.bin",
	"r/ena_stat.bin",        "r/efa_stat.bin",      "r/perf_stat.bin",
	"r/systeminfo.bin",      "r/kernel_config.bin", "r/sysctl.bin",
	"r/metadata.json",       "r/pmu_config.json",
};
#define N_NAMES (sizeof(names) / sizeof(names[0]))

static void pack(const uint8_t *data, size_t size, struct pw_buf *to)
{
	struct pw_archive_out *a = pw_archive_new(PW_ARCHIVE_ZSTD);

	for (size_t n; size >= 3; data += n + 3, size -= n + 3) {
		n = (size_t)(data[1] | data[2] << 8);
		if (n > size - 3)
			n = size - 3;
		pw_archive_add(a, names[data[0] % N_NAMES], data + 3, n);
	}
	if (pw_archive_finish(a, to, NULL))
		abort();
}

static void judge(struct pw_metrics *m)
{
	struct pw_report *r = pw_report_new("system", NULL);

	for (uint32_t i = 0; i < pw_metrics_count(m); i++)
		if (!pw_metrics_get(m, i)->family || !pw_metrics_get(m, i)->def)
			abort();
	pw_findings(m, r);
	pw_report_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pw_metrics *m = pw_metrics_new();
	struct pw_buf packed = { 0 };
	struct pw_err err = { 0 };
	int ret;

	if (size > 2 && data[0] == 0x1f && data[1] == 0x8b) {
		ret = pw_aperf_read_bytes(data, size, m, &err);
	} else {
		pack(data, size, &packed);
		ret = pw_aperf_read_bytes(packed.data, packed.len, m, &err);
	}
	if (ret && (!err.code || !err.msg[0]))
		abort();
	pw_metrics_end(m);
	if (!ret)
		judge(m);
	pw_metrics_free(m);
	pw_buf_release(&packed);
	return 0;
}
