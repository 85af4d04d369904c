#!/bin/sh
# Recreates the small pictures in this folder, with encoders of Debian 12:
#   apt-get install libheif-examples libjxl-tools libimage-exiftool-perl imagemagick ffmpeg libavif-bin
# The pictures are committed, so that the tests don't need these packages.
set -e
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Red on the left, blue on the right, which shows whether the picture is rotated or mirrored.
convert -size 64x48 xc:'#cc2211' -fill '#1133cc' -draw 'rectangle 32,0 63,47' -quality 95 -sampling-factor 1x1 "$work/plain.jpg"
cp "$work/plain.jpg" "$work/phone.jpg"
exiftool -q -overwrite_original -Make=Apple '-Model=iPhone 14 Pro' '-DateTimeOriginal=2024:05:17 18:42:10' \
  '-OffsetTimeOriginal=+02:00' -GPSLatitude=48.8584 -GPSLatitudeRef=N -GPSLongitude=2.2945 -GPSLongitudeRef=E "$work/phone.jpg"

# libheif and x265, as on phones.
heif-enc -q 90 "$work/phone.jpg" -o phone.heic
# The same, rotated by 90°: the dispensable box of bit depths (pixi) is turned into a rotation box (irot; ISO/IEC 23008-12, 6.5.10).
node -e '
  const fs = require("fs"); const file = fs.readFileSync("phone.heic"); const at = file.indexOf("pixi")
  file.write("irot", at, "latin1"); file[at + 4] = 3; fs.writeFileSync("turned.heic", file)'
# A picture with text to recognise.
convert -size 640x160 xc:white -fill black -font DejaVu-Sans -pointsize 56 -gravity center -annotate 0 'Lighthouse 1887' "$work/words.png"
heif-enc -q 60 "$work/words.png" -o words.heic
# The same in the size of the newest phones' photos, 48 megapixels.
convert -size 8064x6048 xc:white -fill black -font DejaVu-Sans -pointsize 700 -gravity center -annotate 0 'Lighthouse 1887' "$work/large-words.png"
heif-enc -q 30 "$work/large-words.png" -o large-words.heic
# One with the generic brand of an image, coded as AV1.
heif-enc -A -q 60 "$work/plain.jpg" -o av1.heif

# An image sequence: an x265 video whose boxes are renamed to those of a sequence.
ffmpeg -v error -y -f lavfi -i 'color=c=0xcc2211:s=64x48:d=0.5:r=4' -c:v libx265 -x265-params log-level=error -tag:v hvc1 -brand hevc "$work/film.mp4"
node -e '
  const fs = require("fs"); const file = fs.readFileSync(process.argv[1])
  file.write("hevc", 8, "latin1"); file.write("msf1", 16, "latin1"); file.write("pict", file.indexOf("hdlr") + 12, "latin1")
  fs.writeFileSync("sequence.heic", file)' "$work/film.mp4"

# libjxl: a lossless recompression of a JPEG, and a picture encoded from pixels.
cjxl --quiet "$work/phone.jpg" phone.jxl
cjxl --quiet --lossless_jpeg=0 -d 1 "$work/plain.jpg" plain.jxl

# Animated pictures.
convert -delay 20 -size 24x16 xc:'#cc2211' xc:'#1133cc' -loop 0 moving.gif
convert -delay 20 -size 24x16 xc:'#cc2211' xc:'#1133cc' "$work/frame%d.png"
ffmpeg -v error -y -framerate 5 -i "$work/frame%d.png" -c:v libwebp_anim -loop 0 moving.webp
ffmpeg -v error -y -framerate 5 -i "$work/frame%d.png" -pix_fmt yuv420p "$work/moving.y4m"
avifenc -q 0 "$work/moving.y4m" moving.avif >/dev/null 2>&1 || avifenc "$work/moving.y4m" moving.avif >/dev/null
