;; Loops of one shape each, and beside each one that lacks it.
(module
  (memory (export "memory") 1)
  (table $t 8 funcref)
  (global $g (mut i32) (i32.const 0))
  ;; a sum in memory: store-to-load forwarding from turn to turn
  (func $forward (export "forward") (param $n i32) (result i32)
    (loop $next
      (global.set $g (i32.add (global.get $g) (i32.const 3)))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (global.get $g))
  ;; the same in a local
  (func $local (export "local") (param $n i32) (result i32)
    (local $s i32)
    (loop $next
      (local.set $s (i32.add (local.get $s) (i32.const 3)))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s))
  ;; a load wider than the store before it
  (func $block (export "block") (param $n i32) (param $p i32) (result i64)
    (local $s i64)
    (loop $next
      (i32.store (local.get $p) (local.get $n))
      (local.set $s (i64.add (local.get $s) (i64.load (local.get $p))))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s))
  ;; one as wide, of a place that changes
  (func $as_wide (export "as_wide") (param $n i32) (result i64)
    (local $s i64)
    (loop $next
      (i64.store (local.get $n) (local.get $s))
      (local.set $s (i64.add (i64.const 5) (i64.load (local.get $n))))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s))
  ;; an index that is compared with the table's size
  (func $checked (export "checked") (param $n i32) (result i32)
    (local $s i32)
    (loop $next
      (local.set $s (i32.add (local.get $s)
        (ref.is_null (table.get $t (i32.and (local.get $n) (local.get $s))))))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s))
  ;; an access that guard pages check
  (func $guarded (export "guarded") (param $n i32) (result i32)
    (local $s i32)
    (loop $next
      (local.set $s (i32.add (local.get $s) (i32.load (local.get $n))))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s))
  (func $small (param $x i32) (result i32)
    (i32.xor (i32.mul (local.get $x) (i32.const 17)) (local.get $x)))
  ;; a small function called in each turn
  (func $calls (export "calls") (param $n i32) (result i32)
    (local $s i32)
    (loop $next
      (local.set $s (call $small (i32.add (local.get $s) (local.get $n))))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s))
  ;; called once
  (func $once (export "once") (param $n i32) (result i32)
    (local $s i32)
    (local.set $s (call $small (local.get $n)))
    (loop $next
      (local.set $s (i32.xor (local.get $s) (local.get $n)))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s))
  ;; a normal and a subnormal factor, both known; a remainder that varies
  (func $normal (export "normal") (param $n i32) (param $f f64) (result f64)
    (local $s f64)
    (loop $next
      (local.set $s (f64.add (f64.mul (local.get $s) (local.get $f)) (f64.const 0.5)))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s))
  (func $remainder (export "remainder") (param $n i32) (param $by i32) (result i32)
    (local $s i32)
    (loop $next
      (local.set $s (i32.rem_u (i32.add (local.get $s) (i32.const 33)) (local.get $by)))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s))
  (func $denormal (export "denormal") (param $n i32) (result f64)
    (local $s f64)
    (loop $next
      (local.set $s (f64.add (f64.mul (local.get $s) (f64.const 0x1p-1070)) (f64.const 0.5)))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $s)))
