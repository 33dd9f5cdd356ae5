//! Says which instruction sets this compiler knows: AVX-512 is stable since Rust 1.89, and the
//! oldest that builds the project is older.

fn main() {
    autocfg::emit_possibility("rowhash_avx512");
    if autocfg::new().probe_rustc_version(1, 89) {
        autocfg::emit("rowhash_avx512");
    }
    autocfg::rerun_path("build.rs");
}
