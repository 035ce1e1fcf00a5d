# perf wasm: one Makefile, no recursion. Each room lists in its Build file
#   obj-y      its objects
#   pkg-y      the libraries that it alone may use, as pkg-config names
#   ldlibs-y   the same, as plain -l
#   prog-y     programs for $(O)/bin: X is X.c linked with the room
#   libexec-y  host programs for $(O)/libexec/perf-wasm, linked alike
#   share-y    files: *.conf go to $(O)/share/perf-wasm/runtimes, all others
#              beside the host programs
#   bpf-y      programs for the kernel: X.bpf.o is X.bpf.c built for the bpf
#              target, put beside the host programs
#   so-y       DIR/X.so below $(O)/lib/perf-wasm, which is laid out as perf's
#              exec path: the room's objects, showing what X.map lists
#   swap-y     -lX=FLAG: what so-y is linked with in place of -lX
# `make help` lists the targets.

V     ?= 0
SAN   ?= 0
O     ?= $(if $(filter 1,$(SAN)),build-san,build)
ifeq ($(origin CC),default)
CC := gcc
endif
CLANG ?= clang
DESTDIR ?=
PREFIX  ?= /usr/local
FUZZ_SECONDS ?= 30

Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),@:,@printf '  %-8s%s\n' $(1) $(2))

ALL_ROOMS := $(shell sed 's/\#.*//' tests/lint/layers.txt)
# first(LIST,X): LIST up to and with X. ROOM= builds no more than that.
first = $(if $(1),$(firstword $(1)) $(if $(filter $(2),$(firstword $(1))),, \
	  $(call first,$(wordlist 2,99,$(1)),$(2))))
ROOMS := $(strip $(if $(ROOM),$(call first,$(ALL_ROOMS),$(ROOM)),$(ALL_ROOMS)))

WARN   := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	  -Wvla -Wpointer-arith -Wwrite-strings -Werror=implicit
CFLAGS ?= -O2 -g
VERSION := 0.1.0
BASE_CFLAGS := -std=gnu11 -D_GNU_SOURCE -Iinclude -fvisibility=hidden -fPIC \
	       -DPW_VERSION='"$(VERSION)"' $(WARN) $(CFLAGS)
SANFLAGS := -fsanitize=address,undefined -fno-omit-frame-pointer \
	    -fno-sanitize-recover=undefined
PW_CFLAGS := $(BASE_CFLAGS) $(if $(filter 1,$(SAN)),$(SANFLAGS))
# The product is optimised as a whole, a tenth of the time of a report; tests
# link the plain code that the same objects hold.
LTO    ?= $(if $(filter 1,$(SAN)),0,1)
LTO_CC := $(if $(filter 1,$(LTO)),-flto=auto -ffat-lto-objects)
PLAIN  := $(if $(filter 1,$(LTO)),-fno-lto)
LTO_LD := $(if $(filter 1,$(LTO)),-flto=auto $(CFLAGS))
FLAGS     := $(CC) $(PW_CFLAGS) $(LTO_CC)
PW_LDFLAGS := $(LDFLAGS) $(if $(filter 1,$(SAN)),$(SANFLAGS))
LDLIBS := -ldl -lm -lpthread

.PHONY: all
all:

# --- what the machine must have ----------------------------------------------
# deps.mk is made once: when it is missing, make installs the packages (or
# says how), makes it and starts over with pkg-config at hand.
ifeq ($(realpath $(O)),$(CURDIR))
$(error O= must not be the source folder)
endif
GOALS := $(or $(MAKECMDGOALS),all)
ifneq ($(filter-out clean help,$(GOALS)),)
include $(O)/deps.mk
endif
pkg = $(if $(filter y,$(DEPS)),$(if $(2),$(shell pkg-config $(1) $(2))))

$(O)/deps.mk: scripts/build/deps.sh scripts/build/packages.txt
	@mkdir -p $(@D)
	@scripts/build/deps.sh build
	@echo 'DEPS := y' >$@
$(O)/deps.check: scripts/build/deps.sh scripts/build/packages.txt
	@mkdir -p $(@D)
	@scripts/build/deps.sh build check
	@touch $@

# --- rooms ------------------------------------------------------------------
# upto(ROOM): that room and all rooms above it, the lowest last for ld.
rev  = $(if $(1),$(call rev,$(wordlist 2,99,$(1))) $(firstword $(1)))
upto = $(call first,$(ROOMS),$(1))
archives = $(foreach r,$(call rev,$(call upto,$(1))),$(O)/$(r)/room.a)
libs     = $(foreach r,$(call upto,$(1)),$(LIBS_$(r)))
LIBEXEC := $(O)/libexec/perf-wasm
CONFS   := $(O)/share/perf-wasm/runtimes
LIB     := $(O)/lib/perf-wasm

# link(ROOM): a program of ROOM from its object and the archives, with those
# libraries only that it calls: each costs a process memory.
define link
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(PW_LDFLAGS) $(LTO_LD) -Wl,--as-needed -o $$@ $$(filter %.o %.a,$$^) $$(call libs,$(1)) $$(LDLIBS)
endef

# shared(ROOM): the same for a shared object, from all objects of ROOM.
swap = $(subst $(firstword $(subst =, ,$(2))),$(word 2,$(subst =, ,$(2))),$(1))
define shared
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(PW_LDFLAGS) $(LTO_LD) -shared -Wl,--as-needed -Wl,--version-script=$$(filter %.map,$$^) -o $$@ \
		$$(filter %.o %.a,$$^) $$(call swap,$$(call libs,$(1)),$$(SWAP_$(1))) $$(LDLIBS)
endef

define copy
	$$(call say,COPY,$$@)
	@mkdir -p $$(@D)
	$$(Q)cp -p $$< $$@
endef

# Freestanding: the C library of the machine is none of the kernel's. Its BTF is
# what the loader wants of -g.
BPF_FLAGS := --target=bpf -mcpu=v3 -O2 -g -std=gnu11 -ffreestanding -Iinclude \
	     -Wall -Wextra -Werror=implicit \
	     -idirafter /usr/include/$(shell $(CC) -print-multiarch)
define bpf
	$$(call say,BPF,$$@)
	@mkdir -p $$(@D) $(O)/$(1)
	$$(Q)$$(CLANG) $(BPF_FLAGS) -MMD -MP -MF $(O)/$(1)/$$(@F).d -MT $$@ -c -o $$@ $$<
endef

define room
obj-y :=
pkg-y :=
ldlibs-y :=
prog-y :=
libexec-y :=
share-y :=
bpf-y :=
so-y :=
swap-y :=
-include $(1)/Build
OBJS_$(1) := $$(addprefix $(O)/$(1)/,$$(obj-y))
LIBS_$(1) := $$(call pkg,--libs,$$(pkg-y)) $$(ldlibs-y)
CFLAGS_$(1) := $$(call pkg,--cflags,$$(pkg-y))
PROGS_$(1) := $$(addprefix $(O)/bin/,$$(prog-y))
HOSTS_$(1) := $$(addprefix $(LIBEXEC)/,$$(libexec-y))
CONFS_$(1) := $$(addprefix $(CONFS)/,$$(filter %.conf,$$(share-y)))
HELPERS_$(1) := $$(addprefix $(LIBEXEC)/,$$(filter-out %.conf,$$(share-y)))
BPFS_$(1) := $$(addprefix $(LIBEXEC)/,$$(bpf-y))
SOS_$(1) := $$(if $$(filter 1,$(SAN)),,$$(addprefix $(LIB)/,$$(so-y)))
SWAP_$(1) := $$(swap-y)
OWN += $$(PROGS_$(1)) $$(HOSTS_$(1)) $$(CONFS_$(1)) $$(HELPERS_$(1)) $$(BPFS_$(1)) $$(SOS_$(1))
$$(OBJS_$(1)) $$(patsubst %,$(O)/$(1)/%.o,$$(prog-y) $$(libexec-y)): PW_CFLAGS += $$(CFLAGS_$(1)) $(LTO_CC)
$(O)/$(1)/room.a: $$(OBJS_$(1)) $(wildcard $(1)/Build)
$$(PROGS_$(1)): $(O)/bin/%: $(O)/$(1)/%.o $$(call archives,$(1))
$(call link,$(1))
$$(HOSTS_$(1)): $(LIBEXEC)/%: $(O)/$(1)/%.o $$(call archives,$(1))
$(call link,$(1))
$$(SOS_$(1)): $$(OBJS_$(1)) $$(call archives,$(1)) $$(patsubst %.so,$(1)/%.map,$$(notdir $$(so-y)))
$(call shared,$(1))
$$(CONFS_$(1)): $(CONFS)/%: $(1)/%
$(copy)
$$(HELPERS_$(1)): $(LIBEXEC)/%: $(1)/%
$(copy)
$$(BPFS_$(1)): $(LIBEXEC)/%.bpf.o: $(1)/%.bpf.c $(O)/flags
$(bpf)
endef
$(foreach r,$(ROOMS),$(eval $(call room,$(r))))

$(O)/%/room.a: $(O)/flags
	$(call say,AR,$@)
	@mkdir -p $(@D)
	$(Q)rm -f $@; $(AR) rcs $@ $(filter %.o,$^)

$(O)/%.o: %.c $(O)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(PW_CFLAGS) -MMD -MP -c -o $@ $<

# Build all anew when the flags change (those of all rooms: PW_CFLAGS here would
# be that of the object that wants this file first).
$(O)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@
.PHONY: FORCE
FORCE:

MAN := $(O)/share/man/man1
$(MAN)/%: Kbuild-notes/%
	$(call say,COPY,$@)
	@mkdir -p $(@D)
	$(Q)cp $< $@
OWN += $(patsubst Kbuild-notes/%,$(MAN)/%,$(wildcard Kbuild-notes/*.1))

# --- the page -------------------------------------------------------------------
# Pages of reports are made from page.html: page-y, and bundle-y as one script.
page-y :=
bundle-y :=
include plugin/page/Build
PAGE := $(O)/share/perf-wasm/page.html
BUNDLE := $(O)/page/page.js
$(BUNDLE): $(addprefix plugin/page/,$(bundle-y)) scripts/build/bundle.sh scripts/build/npm.sh
	$(call say,BUNDLE,$@)
	$(Q)scripts/build/bundle.sh plugin/page $(@D) $@
$(PAGE): $(addprefix plugin/page/,$(page-y)) scripts/build/page.py $(BUNDLE)
	$(call say,PAGE,$@)
	@mkdir -p $(@D)
	$(Q)scripts/build/page.py plugin/page/page.html plugin/page/page.css $(BUNDLE) $@
OWN += $(if $(filter 1,$(SAN)),,$(PAGE))

$(LIB)/scripts/%: scripts/%
	$(call say,COPY,$@)
	@mkdir -p $(@D)
	$(Q)cp -p $< $@
OWN += $(patsubst %,$(LIB)/%,$(shell find scripts/python scripts/perl -type f 2>/dev/null))

all: $(OWN)

# --- unit tests ---------------------------------------------------------------
# tests/unit/ROOM/test-X.c is one cmocka program, linked with ROOM and the
# rooms above it only. `make unit ROOM=wasm/module` builds and runs one room.
UNIT_SRC := $(wildcard $(addprefix tests/unit/,$(addsuffix /test-*.c,$(or $(ROOM),$(ROOMS)))))
UNIT     := $(patsubst %.c,$(O)/%,$(UNIT_SRC))
define unit
$(O)/tests/unit/$(1)/test-%: $(O)/tests/unit/$(1)/test-%.o $(call archives,$(1))
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(PW_LDFLAGS) $(PLAIN) -o $$@ $$(filter %.o %.a,$$^) -lcmocka $$(call libs,$(1)) $$(LDLIBS)
endef
$(foreach r,$(ROOMS),$(eval $(call unit,$(r))))
.PRECIOUS: $(O)/%.o
$(UNIT:%=%.o): | $(O)/deps.check

# --- the cases ----------------------------------------------------------------
CASES := $(patsubst %.wat,$(O)/%.wasm,$(wildcard tests/cases/*.wat))
$(O)/tests/cases/%.wasm: tests/cases/%.wat
	$(call say,WAT,$@)
	@mkdir -p $(@D)
	$(Q)wat2wasm --enable-threads --debug-names -o $@ $<

# --- fuzz targets and benchmarks ---------------------------------------------
# tests/fuzz/fuzz-X.c holds LLVMFuzzerTestOneInput. With clang it becomes the
# fuzzer $(O)/fuzzing/fuzz-X; with replay.c a plain program that runs what
# the corpus holds. FUZZ=X keeps to one.
FUZZ_NAMES := $(patsubst tests/fuzz/fuzz-%.c,%,$(wildcard tests/fuzz/fuzz-$(or $(FUZZ),*).c))
FUZZERS    := $(addprefix $(O)/fuzzing/fuzz-,$(FUZZ_NAMES))
REPLAYS    := $(addprefix $(O)/tests/fuzz/replay-,$(FUZZ_NAMES))
BENCHES    := $(patsubst %.c,$(O)/%,$(wildcard tests/bench/bench-*.c))
FUZZ_CFLAGS = $(BASE_CFLAGS) $(SANFLAGS) -fsanitize=fuzzer-no-link
LAST       := $(lastword $(ROOMS))
ALL_LIBS    = $(call libs,$(LAST)) $(LDLIBS)

$(O)/fuzzing/%.o: %.c $(O)/deps.check
	$(call say,CLANG,$<)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(FUZZ_CFLAGS) $(foreach r,$(ROOMS),$(CFLAGS_$(r))) -MMD -MP -c -o $@ $<
$(O)/fuzzing/rooms.a: $(patsubst $(O)/%,$(O)/fuzzing/%,$(foreach r,$(ROOMS),$(OBJS_$(r))))
	$(call say,AR,$@)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^
$(FUZZERS): $(O)/fuzzing/fuzz-%: $(O)/fuzzing/tests/fuzz/fuzz-%.o $(O)/fuzzing/rooms.a
	$(call say,LD,$@)
	$(Q)$(CLANG) $(SANFLAGS) -fsanitize=fuzzer -o $@ $^ $(ALL_LIBS)
$(REPLAYS): $(O)/tests/fuzz/replay-%: $(O)/tests/fuzz/fuzz-%.o $(O)/tests/fuzz/replay.o $(call archives,$(LAST))
	$(call say,LD,$@)
	$(Q)$(CC) $(PW_LDFLAGS) $(PLAIN) -o $@ $^ $(ALL_LIBS)
$(BENCHES): %: %.o $(call archives,$(LAST))
	$(call say,LD,$@)
	$(Q)$(CC) $(PW_LDFLAGS) $(LTO_LD) -o $@ $^ $(ALL_LIBS)

# --- targets -------------------------------------------------------------------
.PHONY: demo unit golden real lint replay check fuzz bench evaluate install stage clean help
.PHONY: unit-build replay-build san-build fetched page

SUSPECT := wasmtime@13.0.0
ORACLE  := wasmtime@50.0.1
demo: all $(O)/tests/cases/7085.slow.wasm ## hunt the slow instruction of a known case
	$(Q)rm -rf $(O)/demo; for r in $(SUSPECT) $(ORACLE); do $(O)/bin/perf-wasm runtimes add $$r || exit; done
	$(O)/bin/perf-wasm hunt --dir $(O)/demo --suspect $(SUSPECT) --oracle $(ORACLE) $(O)/tests/cases/7085.slow.wasm

unit-build: all $(UNIT)
replay-build: $(REPLAYS)

unit: unit-build ## unit tests; ROOM=wasm/module: of one room, SAN=1: with sanitizers
	$(Q)ROOM=$(ROOM) tests/run unit:$(O)
golden: all $(CASES) ## commands against their recorded output; UPDATE=1 rewrites it
	$(Q)UPDATE=$(UPDATE) tests/run golden:$(O)
real: all $(CASES) ## on real runtimes and through the real perf
	$(Q)tests/run real:$(O)
lint: all | $(O)/deps.check ## the rules of the house
	$(Q)tests/run lint:$(O)
replay: replay-build ## what the fuzz corpora hold
	$(Q)tests/run replay:$(O)

# What the tests run on ("need" in them) is fetched while the compiler works.
fetched: all
	$(Q)for r in $(ORACLE) $$(sed -n 's/^need //p' tests/real/*.sh | tr ' ' '\n' | sort -u); do \
		$(O)/bin/perf-wasm runtimes add $$r >$(O)/fetch.log 2>&1 || cat $(O)/fetch.log; done
san-build: | $(O)/deps.check
	$(Q)$(MAKE) --no-print-directory SAN=1 O=$(O)-san unit-build replay-build

check: unit-build $(CASES) fetched san-build ## all tests; the last line counts them
	$(Q)tests/run unit:$(O) san:$(O)-san replay:$(O)-san golden:$(O) real:$(O) lint:$(O)

fuzz: $(FUZZERS) ## every parser under libFuzzer for FUZZ_SECONDS each
	$(Q)for n in $(FUZZ_NAMES); do tests/fuzz-run $(O) $$n $(FUZZ_SECONDS) || exit; done

bench: all $(BENCHES) ## figures, as lines of "name value unit"
	$(Q)tests/bench-run $(O)

evaluate: all $(CASES) ## hunt the known cases; PART=seeds, none or large: other questions
	$(Q)python3 tests/evaluate/evaluate.py $(O) $(PART)

page: ## what pages of reports are made from, anew
	$(Q)rm -f $(BUNDLE); $(MAKE) --no-print-directory $(PAGE)

# $(O) is laid out as an installed tree: bin, lib, libexec and share.
put = for f in $(OWN:$(O)/%=%); do m=644; [ ! -x $(O)/$$f ] || m=755; \
	install -D -m $$m $(O)/$$f $(1)/$$f || exit; done
install: all ## into PREFIX, below DESTDIR
	$(Q)$(call put,$(DESTDIR)$(PREFIX))
stage: all ## the tree of an installation in $(O)/stage
	$(Q)rm -rf $(O)/stage; $(call put,$(O)/stage)

clean: ## remove what make made
	$(Q)for o in build build-san $(O) $(O)-san; do [ ! -e $$o/deps.mk ] || rm -rf $$o; done

help: ## this list
	@echo 'make: build into O=$(O). Variables: V=1 O= SAN=1 LTO=0 ROOM= CC= CFLAGS= PREFIX= DESTDIR='
	@sed -n 's/^\([a-z]*\):.* ## /\1\t/p' Makefile | expand -t 10

ifneq ($(wildcard $(O)),)
-include $(shell find $(O) -name '*.d')
endif
