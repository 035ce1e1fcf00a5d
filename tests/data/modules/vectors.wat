;; Vectors, saturating conversions, bulk memory, several results.
(module
  (memory 1)
  (data $bytes "0123456789abcdef")
  (func $two (param i32) (result i32 i64)
    (local.get 0) (i64.extend8_s (i64.const 200)))
  (func (export "mix") (param i32 v128) (result v128)
    (local v128)
    (memory.init $bytes (i32.const 0) (i32.const 0) (i32.const 16))
    (memory.fill (i32.const 64) (i32.const 7) (i32.const 8))
    (memory.copy (i32.const 32) (i32.const 0) (i32.const 16))
    (local.set 2 (v128.load8x8_s offset=8 (local.get 0)))
    (v128.store (i32.const 48)
      (i8x16.shuffle 0 17 2 19 4 21 6 23 8 25 10 27 12 29 14 31
        (local.get 1) (local.get 2)))
    (local.set 2 (v128.load32_lane 3 (local.get 0) (local.get 2)))
    (f32x4.add
      (f32x4.convert_i32x4_s
        (i32x4.replace_lane 1 (i32x4.splat (local.get 0))
          (i32.trunc_sat_f64_u (f64.const 1e10))))
      (v128.bitselect
        (v128.const f32x4 1 2 3 nan) (local.get 1)
        (i16x8.extmul_high_i8x16_u (local.get 2) (local.get 1)))))
  (func (export "pairs") (result i32)
    (call $two (i32.const 1))
    (block (param i32 i64) (result i32)
      (i32.wrap_i64)
      (i32.add))
    (data.drop $bytes)))
