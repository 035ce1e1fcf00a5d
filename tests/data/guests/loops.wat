;; Three named loops and one without a name, called one after the other.
(module
  (memory (export "memory") 1)
  (func $float_sum (export "float_sum") (param $n i32) (result f64)
    (local $s f64) (local $i i32)
    (loop $next
      (local.set $s (f64.add (local.get $s)
        (f64.div (f64.convert_i32_s (local.get $i)) (f64.const 3))))
      (br_if $next (i32.lt_s (local.tee $i (i32.add (local.get $i) (i32.const 1)))
        (local.get $n))))
    (local.get $s))
  (func $int_hash (export "int_hash") (param $n i32) (result i32)
    (local $h i32) (local $i i32)
    (loop $next
      (local.set $h (i32.add
        (i32.rotl (i32.mul (local.get $h) (i32.const 16777619)) (i32.const 5))
        (i32.rem_u (local.get $i) (i32.const 1000003))))
      (br_if $next (i32.lt_s (local.tee $i (i32.add (local.get $i) (i32.const 1)))
        (local.get $n))))
    (local.get $h))
  (func (export "mem_walk") (param $n i32) (result i32)
    (local $s i32) (local $i i32)
    (loop $next
      (i32.store (i32.and (local.get $i) (i32.const 0xfffc))
        (i32.add (local.get $s) (i32.load
          (i32.and (i32.mul (local.get $i) (i32.const 12)) (i32.const 0xfffc)))))
      (local.set $s (i32.add (local.get $s) (i32.const 7)))
      (br_if $next (i32.lt_s (local.tee $i (i32.add (local.get $i) (i32.const 1)))
        (local.get $n))))
    (local.get $s))
  (func $again (export "again") (param $n i32) (result i32)
    (call $int_hash (i32.div_u (local.get $n) (i32.const 2))))
  (func (export "_start")
    (drop (call $float_sum (i32.const 50000000)))
    (drop (call $int_hash (i32.const 30000000)))
    (drop (call 2 (i32.const 75000000)))
    (drop (call $again (i32.const 20000000)))))
