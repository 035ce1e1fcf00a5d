;; Source of mix-*.elf: two imported functions, a jump table, constants,
;; direct calls, a loop in a loop, a conversion and a trap.
(module
  (import "m" "twice" (func $twice (param i32) (result i32)))
  (import "m" "log" (func $log))
  (memory 1)
  (func $choose (param i32) (result i32)
    (block $d
      (block $c
        (block $b
          (block $a
            (br_table $a $b $c $a $d (local.get 0)))
          (return (i32.const 7)))
        (return (i32.mul (local.get 0) (i32.const 3))))
      (return (i32.rotl (local.get 0) (i32.const 3))))
    (call $twice (i32.const 77)))
  (func $poly (export "poly") (param f64 i32) (result f64) (local i32)
    (loop $again
      (local.set 0
        (f64.add
          (f64.mul (local.get 0) (f64.const 0x1p-27))
          (f64.convert_i32_s (local.get 2))))
      (br_if $again
        (i32.lt_s
          (local.tee 2 (i32.add (local.get 2) (i32.const 1)))
          (local.get 1))))
    (f64.add (local.get 0) (f64.const 7.45)))
  (func (export "_start") (local i32 i32)
    (f64.store (i32.const 8)
      (call $poly (f64.const 1) (call $choose (i32.const 3))))
    (call $log)
    (loop $rows
      (local.set 1 (i32.const 0))
      (loop $columns
        (i32.store (i32.const 0)
          (i32.div_u (i32.load (i32.const 0)) (local.get 0)))
        (br_if $columns
          (i32.lt_u
            (local.tee 1 (i32.add (local.get 1) (i32.const 1)))
            (i32.const 100))))
      (br_if $rows
        (i32.lt_u
          (local.tee 0 (i32.add (local.get 0) (i32.const 1)))
          (i32.const 1000))))))
