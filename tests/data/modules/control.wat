;; Blocks, branches, calls, a table, data, globals, names: WebAssembly 1.0.
(module
  (type $binary (func (param i32 i32) (result i32)))
  (import "env" "log" (func $log (param i32)))
  (import "env" "base" (global $base i32))
  (memory (export "memory") 1 4)
  (table $ops 4 4 funcref)
  (global $count (mut i32) (i32.const 0))
  (elem (i32.const 0) $add $sub $mul $pick)
  (data (i32.const 16) "perf wasm\00\ff")
  (data (global.get $base) "x")
  (func $add (type $binary) (i32.add (local.get 0) (local.get 1)))
  (func $sub (type $binary) (i32.sub (local.get 0) (local.get 1)))
  (func $mul (type $binary) (i32.mul (local.get 0) (local.get 1)))
  (func $pick (type $binary)
    (block $c (block $b (block $a
      (br_table $a $b $c (local.get 0)))
      (return (i32.const 10)))
      (return (select (local.get 1) (i32.const 20) (local.get 0))))
    (i32.const 300))
  (func $run (export "run") (param $n i32) (result f64)
    (local $i i32) (local $sum f64)
    (loop $again
      (local.set $sum
        (f64.add (local.get $sum)
          (f64.sqrt (f64.convert_i32_u
            (call_indirect (type $binary)
              (local.get $i) (i32.load offset=16 align=2
                (i32.shl (local.get $i) (i32.const 2)))
              (i32.and (local.get $i) (i32.const 3)))))))
      (i32.store8 (local.get $i) (i32.load8_s (local.get $i)))
      (if (i32.eqz (i32.rem_u (local.get $i) (i32.const 1000)))
        (then (call $log (local.get $i)))
        (else (global.set $count
          (i32.add (global.get $count) (i32.const 1)))))
      (br_if $again
        (i32.lt_u
          (local.tee $i (i32.add (local.get $i) (i32.const 1)))
          (local.get $n))))
    (drop (memory.grow (i32.const -129)))
    (drop (i64.const 0x123456789abcdef0))
    (drop (f32.const 0x1.8p-3))
    (local.get $sum))
  (func $never (result i64)
    (unreachable) (i64.add) (br 0))
  (start $begin)
  (func $begin (nop)))
