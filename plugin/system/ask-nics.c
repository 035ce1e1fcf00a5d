// SPDX-License-Identifier: GPL-2.0-only
/*
 * ethtool's ioctls: the only place that makes them.
 */
#include "system-nics.h"

#include <perfwasm/base.h>

#include <errno.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int nics_open(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

int nic_ask(int fd, const char *name, void *what)
{
	struct ifreq r = { .ifr_data = what };

	memcpy(r.ifr_name, name, strnlen(name, sizeof(r.ifr_name) - 1));
	return ioctl(fd, SIOCETHTOOL, &r) ? -errno : 0;
}

int nic_count(int fd, const char *name, enum ethtool_stringset set)
{
	union {
		struct ethtool_sset_info info;
		char bytes[sizeof(struct ethtool_sset_info) + sizeof(uint32_t)];
	} b = { .info = { .cmd = ETHTOOL_GSSET_INFO,
			  .sset_mask = 1ULL << set } };
	int ret = nic_ask(fd, name, &b);

	if (ret || !b.info.sset_mask || !b.info.data[0])
		return ret ?: -EOPNOTSUPP;
	return b.info.data[0] < INT32_MAX ? (int)b.info.data[0] : INT32_MAX;
}

struct ethtool_gstrings *nic_names(int fd, const char *name,
				   enum ethtool_stringset set, uint32_t n,
				   int *error)
{
	struct ethtool_gstrings *all =
		pw_zalloc(sizeof(*all) + n * (size_t)ETH_GSTRING_LEN);

	all->cmd = ETHTOOL_GSTRINGS;
	all->string_set = set;
	all->len = n;
	*error = nic_ask(fd, name, all);
	if (!*error)
		return all;
	free(all);
	return NULL;
}
