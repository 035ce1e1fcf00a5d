// SPDX-License-Identifier: GPL-2.0-only
/*
 * What drivers of network cards count, by ethtool's ioctls: names once, numbers
 * at each reading. Only of interfaces with a device behind them.
 */
#include "system-record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define LOOK_NS 10000000000ULL

enum { MAX_FIGURES = 16384 };

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
		free(all->all[i].stats);
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

static int ask(const struct nics *all, const char *name, void *what)
{
	struct ifreq r = { .ifr_data = what };

	memcpy(r.ifr_name, name, sizeof(r.ifr_name));
	return ioctl(all->fd, SIOCETHTOOL, &r) ? -errno : 0;
}

/* --- which ----------------------------------------------------------------------- */

static int count_figures(const struct nics *all, struct nic *nic)
{
	union {
		struct ethtool_sset_info info;
		char bytes[sizeof(struct ethtool_sset_info) + sizeof(uint32_t)];
	} b = { .info = { .cmd = ETHTOOL_GSSET_INFO,
			  .sset_mask = 1ULL << ETH_SS_STATS } };
	int ret = ask(all, nic->name, &b);

	if (ret || !b.info.sset_mask)
		return ret ?: -EOPNOTSUPP;
	nic->n = b.info.data[0] < MAX_FIGURES ? b.info.data[0] : MAX_FIGURES;
	return 0;
}

static int add_nic(struct nics *all, const char *name)
{
	struct nic nic = { .n = 0 };
	int ret;

	memcpy(nic.name, name, strnlen(name, sizeof(nic.name) - 1));
	ret = count_figures(all, &nic);
	if (ret || !nic.n)
		return ret ?: -EOPNOTSUPP;
	nic.strings = pw_zalloc(sizeof(*nic.strings) +
				nic.n * (size_t)ETH_GSTRING_LEN);
	nic.stats = pw_zalloc(sizeof(*nic.stats) + nic.n * sizeof(uint64_t));
	nic.strings->cmd = ETHTOOL_GSTRINGS;
	nic.strings->string_set = ETH_SS_STATS;
	nic.strings->len = nic.n;
	ret = ask(all, nic.name, nic.strings);
	if (ret) {
		free(nic.strings);
		free(nic.stats);
		return ret;
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
	int ret;

	nic->stats->cmd = ETHTOOL_GSTATS;
	nic->stats->n_stats = nic->n;
	ret = ask(all, nic->name, nic->stats);
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

	/* ioctls ask this machine, whatever the root */
	if (!s->is_this_machine)
		return -ENODEV;
	if (!all) {
		int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

		if (fd < 0)
			return -errno;
		all = s->nics = pw_zalloc(sizeof(*all));
		all->fd = fd;
	}
	if (!all->n || s->reading_ns - all->looked_ns >= LOOK_NS)
		ret = look(s, all);
	for (uint32_t i = 0; i < all->n; i++) {
		int failed = read_nic(all, &all->all[i], k);

		ret = failed ?: ret;
		read += !failed;
	}
	return read ? 0 : ret;
}
