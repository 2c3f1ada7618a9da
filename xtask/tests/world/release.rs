//! Made-up releases as a registry has them: an archive, and a line of the index.

use serde_json::{Value, json};

/// The archive of a release: `files` (path, text) below `NAME-VERSION/`.
pub fn pack(name: &str, version: &str, files: &[(&str, String)]) -> Vec<u8> {
    let gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut archive = tar::Builder::new(gzip);
    for (path, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        let path = format!("{name}-{version}/{path}");
        archive
            .append_data(&mut header, path, text.as_bytes())
            .expect("packed");
    }
    archive
        .into_inner()
        .and_then(flate2::write::GzEncoder::finish)
        .expect("packed")
}

/// Where the index has a crate.
pub fn index_path(name: &str) -> String {
    match name.len() {
        1 | 2 => format!("{}/{name}", name.len()),
        3 => format!("3/{}/{name}", &name[..1]),
        _ => format!("{}/{}/{name}", &name[..2], &name[2..4]),
    }
}

/// The line of the index for a release with this manifest, which says of dependencies what a test needs.
pub fn index_line(manifest: &str, checksum: &str) -> Value {
    let manifest: toml::Value = toml::from_str(manifest).expect("a manifest");
    let mut tables = vec![(&manifest, Value::Null)];
    for (target, table) in manifest
        .get("target")
        .and_then(toml::Value::as_table)
        .into_iter()
        .flatten()
    {
        tables.push((table, json!(target)));
    }
    let mut dependencies = Vec::new();
    for (table, target) in tables {
        for (key, kind) in [
            ("dependencies", "normal"),
            ("build-dependencies", "build"),
            ("dev-dependencies", "dev"),
        ] {
            for (name, entry) in table
                .get(key)
                .and_then(toml::Value::as_table)
                .into_iter()
                .flatten()
            {
                let get = |key: &str| entry.get(key).cloned();
                let requirement = entry.as_str().map(str::to_owned);
                dependencies.push(json!({
                    "name": name, "req": requirement.map(toml::Value::from).or_else(|| get("version")),
                    "features": get("features").unwrap_or_else(|| toml::Value::Array(Vec::new())),
                    "optional": get("optional").unwrap_or(false.into()),
                    "default_features": get("default-features").unwrap_or(true.into()),
                    "target": target, "kind": kind, "package": get("package"),
                }));
            }
        }
    }
    let package = manifest.get("package").expect("a package");
    json!({
        "name": package.get("name"), "vers": package.get("version"), "deps": dependencies, "cksum": checksum,
        "features": {}, "features2": manifest.get("features"), "yanked": false, "links": package.get("links"), "v": 2,
        "rust_version": package.get("rust-version"),
    })
}
