;; SPDX-License-Identifier: GPL-2.0-only
;; A module small enough that all its mutants fit on a page: a loop, a
;; float, an import, and a function whose name is hostile to terminals.
(module
  (import "env" "log" (func $log (param i32)))
  (func $sum (export "sum") (param $n i32) (result i32)
    (local $s i32)
    loop
      local.get $s
      local.get $n
      i32.add
      local.set $s
      local.get $n
      i32.const 1
      i32.sub
      local.tee $n
      br_if 0
    end
    local.get $s)
  (func (export "\1b[31mred\1b[0m") (param f64) (result f64)
    local.get 0
    f64.sqrt)
  (func (export "_start")
    i32.const 10
    call $sum
    call $log))
