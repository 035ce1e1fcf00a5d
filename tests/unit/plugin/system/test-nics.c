// SPDX-License-Identifier: GPL-2.0-only
/* Room for answers whose length the kernel decides: it can be filled, and not
 * a byte more. */
#include "../../../../plugin/system/system-nics.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

static void the_kernel_writes_into_a_room_and_not_behind_it(void **state)
{
	static const size_t sizes[] = { 4, 12, 4096, 4100, 100000 };
	char byte = 'x';
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		char *room = nic_room(sizes[i]);

		assert_non_null(room);
		assert_int_equal((uintptr_t)room % 4, 0);
		memset(room, 1, sizes[i]);
		assert_int_equal(write(fds[1], &byte, 1), 1);
		assert_int_equal(read(fds[0], room + sizes[i] - 1, 1), 1);
		assert_int_equal(room[sizes[i] - 1], 'x');
		assert_int_equal(write(fds[1], &byte, 1), 1);
		assert_int_equal(read(fds[0], room + sizes[i], 1), -1);
		assert_int_equal(errno, EFAULT);
		nic_room_free(room, sizes[i]);
	}
	nic_room_free(NULL, 8);
	close(fds[0]);
	close(fds[1]);
}

static void a_card_that_is_not_there_is_an_error(void **state)
{
	struct ethtool_stats *stats = nic_stats_new(3);
	int fd = nics_open(), error = 0;

	(void)state;
	assert_true(fd >= 0);
	assert_non_null(stats);
	assert_int_equal(nic_count(fd, "pw-none", ETH_SS_STATS), -ENODEV);
	assert_null(nic_names(fd, "pw-none", ETH_SS_STATS, 3, &error));
	assert_int_equal(error, -ENODEV);
	assert_int_equal(nic_stats(fd, "pw-none", stats, 3), -ENODEV);
	nic_stats_free(stats, 3);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_kernel_writes_into_a_room_and_not_behind_it),
		cmocka_unit_test(a_card_that_is_not_there_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
