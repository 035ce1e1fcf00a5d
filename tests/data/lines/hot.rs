// SPDX-License-Identifier: GPL-2.0-only
// As hot.c: line 19 in line 10.
#![no_std]

#[no_mangle] #[inline(never)]
pub extern "C" fn sum(n: u32) -> f64 {
    let mut s = 0.0;
    let mut i = 0;
    while i < n {
        s += math::square(i as f64);
        i += 1;
    }
    s
}

mod math {
    #[inline(always)]
    pub fn square(x: f64) -> f64 {
        (x + 1.0) * (x - 1.0) / (x * x + 2.0)
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

static mut RESULT: f64 = 0.0;

#[no_mangle]
pub extern "C" fn _start() {
    unsafe { core::ptr::write_volatile(core::ptr::addr_of_mut!(RESULT), sum(20000000)) }
}
