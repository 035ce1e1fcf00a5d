// SPDX-License-Identifier: GPL-2.0-only
/*
 * What drivers of network cards count, by ethtool's ioctls: names once, numbers
 * at each reading. Only of interfaces with a device behind them.
 */
#include "system-nics.h"
#include "system-record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdlib.h>
#include <unistd.h>

#define LOOK_NS 10000000000ULL

enum { MAX_FIGURES = 65536 };

struct nic {
	char name[IFNAMSIZ];
	uint32_t n;
	struct ethtool_gstrings *strings;
	struct ethtool_stats *stats;
};

struct nics {
	int fd;
	struct nic *all;
	uint32_t n;
	uint64_t looked_ns;
};

static void forget(struct nics *all)
{
	for (uint32_t i = 0; i < all->n; i++) {
		free(all->all[i].strings);
		nic_stats_free(all->all[i].stats, all->all[i].n);
	}
	free(all->all);
	all->all = NULL;
	all->n = 0;
}

void nics_free(struct nics *all)
{
	if (!all)
		return;
	forget(all);
	close(all->fd);
	free(all);
}

/* --- which ----------------------------------------------------------------------- */

static int add_nic(struct nics *all, const char *name)
{
	int n = nic_count(all->fd, name, ETH_SS_STATS), error;
	struct nic nic;

	if (n < 0)
		return n;
	if (n > MAX_FIGURES)
		return -E2BIG;
	memset(&nic, 0, sizeof(nic));
	memcpy(nic.name, name, strnlen(name, sizeof(nic.name) - 1));
	nic.n = (uint32_t)n;
	nic.strings = nic_names(all->fd, name, ETH_SS_STATS, nic.n, &error);
	if (!nic.strings)
		return error;
	nic.stats = nic_stats_new(nic.n);
	if (!nic.stats) {
		free(nic.strings);
		return -ENOMEM;
	}
	all->all = pw_realloc(all->all, (all->n + 1) * sizeof(nic));
	all->all[all->n++] = nic;
	return 0;
}

static int look(struct pw_system *s, struct nics *all)
{
	int fd = openat(s->root, "sys/class/net",
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;
	int error = dir ? -ENODEV : -errno;
	char path[300];

	forget(all);
	all->looked_ns = s->reading_ns;
	while (dir && (d = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/device", d->d_name);
		if (*d->d_name != '.' && !faccessat(fd, path, F_OK, 0))
			error = add_nic(all, d->d_name) ?: error;
	}
	if (dir)
		closedir(dir);
	return all->n ? 0 : error;
}

/* --- reading --------------------------------------------------------------------- */

/* What never counted has no row: of thousands most never do. */
static int read_nic(struct nics *all, struct nic *nic, const struct sink *k)
{
	struct span name = { nic->name, (uint32_t)strlen(nic->name) };
	int ret = nic_stats(all->fd, nic->name, nic->stats, nic->n);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < nic->n; i++) {
		const char *s = (const char *)nic->strings->data +
				i * (size_t)ETH_GSTRING_LEN;
		struct span metric = { s,
				       (uint32_t)strnlen(s, ETH_GSTRING_LEN) };
		uint64_t v = nic->stats->data[i];

		if (v && metric.n)
			sink_value(k, TABLE_ETHTOOL, name, metric, v);
	}
	return 0;
}

int read_nics(struct pw_system *s, const struct sink *k)
{
	struct nics *all = s->nics;
	int ret = 0, read = 0;
	bool changed = false;

	/* ioctls ask this machine, whatever the root */
	if (!s->is_this_machine)
		return -ENODEV;
	if (!all) {
		int fd = nics_open();

		if (fd < 0)
			return fd;
		all = s->nics = pw_zalloc(sizeof(*all));
		all->fd = fd;
	}
	if (!all->n || s->reading_ns - all->looked_ns >= LOOK_NS)
		ret = look(s, all);
	for (uint32_t i = 0; i < all->n; i++) {
		int failed = read_nic(all, &all->all[i], k);

		ret = failed ?: ret;
		read += !failed;
		changed |= failed == -EAGAIN;
	}
	/* they are looked for again next time */
	if (changed)
		forget(all);
	return read ? 0 : ret;
}
