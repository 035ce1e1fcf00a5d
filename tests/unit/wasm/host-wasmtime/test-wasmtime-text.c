// SPDX-License-Identifier: GPL-2.0-only
/* What the host for Wasmtime reads: an ELF image, its mapping, a message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../../../wasm/host-wasmtime/wasmtime-api.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define N_TEXT 3000

/* Header, .text, names, three section headers. */
struct image {
	Elf64_Ehdr h;
	uint8_t text[N_TEXT];
	char names[24]; /* "\0.text\0.names\0" */
	Elf64_Shdr s[3];
} __attribute__((aligned(8)));

static void make_image(struct image *m)
{
	memset(m, 0, sizeof(*m));
	memcpy(m->h.e_ident, ELFMAG, SELFMAG);
	m->h.e_shoff = offsetof(struct image, s);
	m->h.e_shentsize = sizeof(Elf64_Shdr);
	m->h.e_shnum = 3;
	m->h.e_shstrndx = 2;
	memcpy(m->names, "\0.text\0.names", 14);
	m->s[1].sh_name = 1;
	m->s[1].sh_type = SHT_PROGBITS;
	m->s[1].sh_offset = offsetof(struct image, text);
	m->s[1].sh_size = N_TEXT;
	m->s[2].sh_name = 7;
	m->s[2].sh_type = SHT_STRTAB;
	m->s[2].sh_offset = offsetof(struct image, names);
	m->s[2].sh_size = sizeof(m->names);
	for (size_t i = 0; i < N_TEXT; i++)
		m->text[i] = (uint8_t)(i * 7 + i / 256);
}

static void a_section_is_found_by_name(void **state)
{
	struct image m;
	const uint8_t *data;
	size_t n;

	(void)state;
	make_image(&m);
	assert_true(wt_elf_section(&m, sizeof(m), ".text", &data, &n));
	assert_ptr_equal(data, m.text);
	assert_int_equal(n, N_TEXT);
	assert_false(wt_elf_section(&m, sizeof(m), ".tex", &data, &n));
	assert_false(wt_elf_section(&m, sizeof(m), ".data", &data, &n));
}

/* Every 16 bits of the header and of the section headers set to the extremes,
 * every length: nothing may be read outside (the sanitizers would tell). */
static void a_broken_image_has_no_section_or_a_good_one(void **state)
{
	struct image m;

	(void)state;
	for (size_t i = 0; i < sizeof(m); i += 2) {
		for (int v = 0; v < 2; v++) {
			const uint8_t *data = NULL;
			size_t n = 0;

			if (i == offsetof(struct image, text))
				i = offsetof(struct image, names);
			make_image(&m);
			memset((uint8_t *)&m + i, v ? 0xff : 0, 2);
			if (wt_elf_section(&m, sizeof(m), ".text", &data, &n))
				assert_true(n <= sizeof(m) &&
					    data >= (uint8_t *)&m &&
					    data + n <= (uint8_t *)(&m + 1));
		}
	}
	make_image(&m);
	for (size_t n = 0; n < sizeof(m); n++) {
		void *copy = malloc(n ? n : 1);
		const uint8_t *data;
		size_t size;

		memcpy(copy, &m, n);
		assert_false(wt_elf_section(copy, n, ".text", &data, &size));
		free(copy);
	}
}

static void mapped_code_is_found_though_calls_are_patched(void **state)
{
	struct image m;
	uint8_t *code;

	(void)state;
	make_image(&m);
	code = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(code + 4096, m.text, N_TEXT);
	memset(code + 4096 + 100, 0xcc, 200);
	mprotect(code, 3 * 4096, PROT_READ | PROT_EXEC);
	assert_true(wt_text_addr(m.text, N_TEXT) == (uintptr_t)code + 4096);
	mprotect(code, 3 * 4096, PROT_READ);
	assert_int_equal(wt_text_addr(m.text, N_TEXT), 0);
	munmap(code, 3 * 4096);
	assert_int_equal(wt_text_addr(m.text, 0), 0);
}

static void assert_sentence(const char *message, const char *want)
{
	struct wt_bytes b = { strlen(message), (char *)(uintptr_t)message };
	char got[100];

	wt_sentence(&b, got, sizeof(got));
	assert_string_equal(got, want);
}

static void a_message_is_cut_down_to_its_cause(void **state)
{
	(void)state;
	assert_sentence(
		"wasm trap: call stack exhausted\nwasm backtrace:\n    0: 0x1 - f\n",
		"call stack exhausted");
	assert_sentence(
		"error while executing at wasm backtrace:\n    0: 0x1\n\nCaused by:\n    wasm trap: integer divide by zero",
		"integer divide by zero");
	assert_sentence(
		"WebAssembly failed to compile\n\nCaused by:\n    0: x\n    1: unknown opcode\n",
		"unknown opcode");
	assert_sentence("unknown import", "unknown import");
	assert_sentence("", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_section_is_found_by_name),
		cmocka_unit_test(a_broken_image_has_no_section_or_a_good_one),
		cmocka_unit_test(mapped_code_is_found_though_calls_are_patched),
		cmocka_unit_test(a_message_is_cut_down_to_its_cause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
