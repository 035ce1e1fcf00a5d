// SPDX-License-Identifier: GPL-2.0-only
/*
 * Facts of disks and network cards: queues, drivers, what they do in hardware.
 */
#include "machine-facts.h"
#include "system-nics.h"

#include <stdlib.h>
#include <unistd.h>

/* --- disks -------------------------------------------------------------------------- */

void machine_disks(struct machine *m)
{
	static const char *const files[] = {
		"size",
		"device/model",
		"queue/scheduler",
		"queue/nr_requests",
		"queue/read_ahead_kb",
		"queue/rotational",
		"queue/logical_block_size",
		"queue/physical_block_size",
		"queue/max_sectors_kb",
		"queue/write_cache",
		"queue/rq_affinity",
		"queue/nomerges",
		"queue/wbt_lat_usec",
		"queue/io_poll",
		"queue/discard_max_bytes",
	};
	char **names = machine_names(m, "sys/block"), key[320];

	for (char **n = names; n && *n; n++) {
		struct span size = machine_text(m, "sys/block/%s/size", *n);
		uint64_t sectors;

		/* loop devices that stand for nothing */
		if (!take_line(&size, &size) || !span_number(size, &sectors) ||
		    !sectors)
			continue;
		for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
			const char *slash = strchr(files[i], '/');

			snprintf(key, sizeof(key), "%s %s", *n,
				 slash ? slash + 1 : files[i]);
			machine_fact(m, "disk", key,
				     machine_text(m, "sys/block/%s/%s", *n,
						  files[i]));
		}
	}
	pw_strings_free(names);
}

/* --- network cards --------------------------------------------------------------------- */

static void driver(struct machine *m, int fd, const char *name)
{
	struct ethtool_drvinfo d = { .cmd = ETHTOOL_GDRVINFO };
	struct ethtool_ringparam r = { .cmd = ETHTOOL_GRINGPARAM };
	struct ethtool_coalesce c = { .cmd = ETHTOOL_GCOALESCE };
	struct ethtool_channels q = { .cmd = ETHTOOL_GCHANNELS };
	char key[64];

	snprintf(key, sizeof(key), "%.15s driver version", name);
	if (!nic_ask(fd, name, &d))
		machine_printf(m, "net", key, "%s %s, firmware %s", d.driver,
			       d.version, d.fw_version);
	snprintf(key, sizeof(key), "%.15s rings", name);
	if (!nic_ask(fd, name, &r))
		machine_printf(m, "net", key, "receive %u of %u, send %u of %u",
			       r.rx_pending, r.rx_max_pending, r.tx_pending,
			       r.tx_max_pending);
	snprintf(key, sizeof(key), "%.15s interrupt coalescing", name);
	if (!nic_ask(fd, name, &c))
		machine_printf(
			m, "net", key,
			"receive %u us or %u frames%s, send %u us or %u frames%s",
			c.rx_coalesce_usecs, c.rx_max_coalesced_frames,
			c.use_adaptive_rx_coalesce ? ", adaptive" : "",
			c.tx_coalesce_usecs, c.tx_max_coalesced_frames,
			c.use_adaptive_tx_coalesce ? ", adaptive" : "");
	snprintf(key, sizeof(key), "%.15s queues", name);
	if (!nic_ask(fd, name, &q))
		machine_printf(m, "net", key,
			       "receive %u, send %u, both %u of %u", q.rx_count,
			       q.tx_count, q.combined_count, q.max_combined);
}

enum { MAX_FEATURES = 256 };

/* The names of what is on, in the order of the kernel. */
static void offloads(struct machine *m, int fd, const char *name)
{
	int n = nic_count(fd, name, ETH_SS_FEATURES), error;
	struct ethtool_gstrings *names;
	struct ethtool_gfeatures *on;
	struct pw_buf b = { 0 };
	char key[64];

	if (n <= 0 || n > MAX_FEATURES)
		return;
	names = nic_names(fd, name, ETH_SS_FEATURES, (uint32_t)n, &error);
	on = pw_zalloc(sizeof(*on) +
		       (size_t)(n + 31) / 32 * sizeof(*on->features));
	on->cmd = ETHTOOL_GFEATURES;
	on->size = (uint32_t)(n + 31) / 32;
	if (names && !nic_ask(fd, name, on))
		for (int i = 0; i < n; i++)
			if (on->features[i / 32].active >> (i % 32) & 1)
				pw_buf_printf(&b, "%s%.*s", b.len ? " " : "",
					      ETH_GSTRING_LEN,
					      names->data +
						      i * ETH_GSTRING_LEN);
	snprintf(key, sizeof(key), "%.15s features", name);
	machine_fact(m, "net", key,
		     (struct span){ pw_buf_str(&b), (uint32_t)b.len });
	pw_buf_release(&b);
	free(names);
	free(on);
}

static void sysfs_of_nic(struct machine *m, const char *name)
{
	static const char *const files[] = { "mtu",
					     "speed",
					     "duplex",
					     "operstate",
					     "tx_queue_len",
					     "gro_flush_timeout",
					     "napi_defer_hard_irqs" };
	char key[320], *link;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(key, sizeof(key), "%s %s", name, files[i]);
		machine_fact(m, "net", key,
			     machine_text(m, "sys/class/net/%s/%s", name,
					  files[i]));
	}
	snprintf(key, sizeof(key), "sys/class/net/%s/device/driver", name);
	link = machine_link(m, key);
	if (link) {
		snprintf(key, sizeof(key), "%s driver", name);
		machine_printf(m, "net", key, "%s", link);
	}
	free(link);
	snprintf(key, sizeof(key), "%s receive steering", name);
	machine_fact(m, "net", key,
		     machine_text(m, "sys/class/net/%s/queues/rx-0/rps_cpus",
				  name));
}

void machine_nics(struct machine *m)
{
	char **names = machine_names(m, "sys/class/net"), path[320];
	int fd = m->is_this_machine ? nics_open() : -1;

	for (char **n = names; n && *n; n++) {
		snprintf(path, sizeof(path), "sys/class/net/%s/device", *n);
		if (faccessat(m->root, path, F_OK, 0))
			continue;
		sysfs_of_nic(m, *n);
		if (fd < 0)
			continue;
		driver(m, fd, *n);
		offloads(m, fd, *n);
	}
	if (fd >= 0)
		close(fd);
	pw_strings_free(names);
}
