#!/usr/bin/env bash
# Collects third-party files in a folder: test files of Debian's source packages and of npm packages.
#   scripts/public-corpus.sh DIR        needs apt-get, the dpkg-source tools and npm; installs nothing
set -euo pipefail
dir=$(mkdir -p "$1" && cd "$1" && pwd)
sources=(libimage-exiftool-perl taglib exiv2 tiff gdk-pixbuf gst-plugins-good1.0 libextractor pdfminer libheif imagemagick flac)
npm=(exifreader@4.46.0 mammoth@1.11.0 mailparser@3.9.0 music-metadata@7.14.0 image-size@2.0.2 png-js@1.0.0)
max_per_package=40
endings='jpe?g|png|gif|webp|tiff?|bmp|avif|hei[cf]|jxl|dng|cr2|nef|arw|mp3|m4[abv]|mp4|mov|3gp|3g2|mkv|webm|avi|wmv|wma|asf|flv|mpe?g|m2?ts|og[gav]|opus|flac|aac|wav|aiff?|caf|amr|srt|vtt|ass|pdf|docx|xlsx|pptx|odt|ods|odp|rtf|epub|html?|eml|mbox|txt|csv|md'

apt="$dir/.apt"
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$dir/.packages" "$dir/files"
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
echo "deb-src http://deb.debian.org/debian $release main" > "$apt/sources.list"
options=(-o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache")
apt-get "${options[@]}" -qq update
cd "$dir/.packages"
for name in "${sources[@]}"; do
  if [ -d "$name" ]; then continue; fi
  apt-get "${options[@]}" -qq source --download-only "$name" || { echo "not found: $name" >&2; continue; }
  mkdir "$name"
  for archive in "${name}"_*.orig*.tar.*; do
    case $archive in *.asc) ;; *) tar xf "$archive" -C "$name" ;; esac
  done
done
for name in "${npm[@]}"; do
  folder="npm-${name%@*}"
  if [ -d "$folder" ]; then continue; fi
  mkdir "$folder"
  (cd "$folder" && npm pack --silent "$name" >/dev/null && tar xzf ./*.tgz && rm -f ./*.tgz) || echo "not found: $name" >&2
done
for folder in */; do
  find "$folder" -regextype posix-extended -type f -size +0 -size -20M -iregex ".*/(tests?|t|samples?|data|images|fixtures|testdata|files)/.*\.($endings)" | sort | awk -v max="$max_per_package" '{ n++; all[n] = $0 } END { step = n > max ? n / max : 1; for (i = 0; i < n && i < max; i++) print all[int(i * step) + 1] }' |
    while read -r file; do cp "$file" "$dir/files/${folder%/}--$(basename "$file")"; done
done
echo "$(find "$dir/files" -type f | wc -l) files in $dir/files"
