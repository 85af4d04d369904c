// Writes the sample pictures that the web app shows for each effect before a picture is chosen.
import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { catalogue } from '../apps/api/src/modules/studio/effects/catalogue.ts'
import { unitOf } from '../apps/api/src/modules/studio/effects/effect-kind.ts'

const root = join(import.meta.dirname, '..')
const sharp = createRequire(join(root, 'apps/api/package.json'))('sharp')
const folder = join(root, 'apps/web/src/features/studio/samples')
const WIDTH = 320
const HEIGHT = 240

/** An evening at a lake, with smooth gradients, edges, fine grain, light and dark. */
const painting = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 320 240">
    <defs>
      <linearGradient id="sky" x1="0" y1="0" x2="0" y2="1">
        <stop offset="0" stop-color="#2f5fa8"/><stop offset=".55" stop-color="#9cc3e6"/><stop offset="1" stop-color="#fbd9a5"/>
      </linearGradient>
      <linearGradient id="water" x1="0" y1="0" x2="0" y2="1">
        <stop offset="0" stop-color="#e8c79a"/><stop offset=".35" stop-color="#5f95b8"/><stop offset="1" stop-color="#173a5e"/>
      </linearGradient>
      <filter id="grain" x="0" y="0" width="100%" height="100%">
        <feTurbulence type="fractalNoise" baseFrequency=".09 .22" numOctaves="4" seed="7"/>
        <feColorMatrix values="0 0 0 0 .1  0 0 0 0 .12  0 0 0 0 .1  .9 0 0 0 -.32"/>
        <feComposite operator="in" in2="SourceGraphic"/>
        <feBlend in2="SourceGraphic" mode="multiply"/>
      </filter>
    </defs>
    <rect width="320" height="150" fill="url(#sky)"/>
    <circle cx="228" cy="98" r="17" fill="#fff3cf"/>
    <g fill="#fff" opacity=".75"><ellipse cx="74" cy="44" rx="40" ry="8"/><ellipse cx="98" cy="36" rx="26" ry="8"/><ellipse cx="270" cy="34" rx="30" ry="6"/></g>
    <g filter="url(#grain)">
      <path d="M0 132 L46 78 L78 108 L118 56 L168 116 L206 92 L262 132 L320 104 V152 H0Z" fill="#6f7fa3"/>
      <path d="M118 56 L104 74 L114 72 L120 80 L128 70 L136 77Z" fill="#f4f7fb"/>
      <path d="M0 150 Q40 118 92 136 T196 140 T320 126 V156 H0Z" fill="#4d7a4c"/>
    </g>
    <rect y="152" width="320" height="88" fill="url(#water)"/>
    <g stroke="#fff3cf" stroke-width="2" stroke-linecap="round" opacity=".8"><path d="M208 160 h40 M214 170 h28 M202 182 h50 M218 196 h24"/></g>
    <g><path d="M40 152 h44 v-26 l-22 -17 l-22 17Z" fill="#c8553d"/><path d="M34 128 l28 -23 l28 23Z" fill="#5a2d27"/><rect x="55" y="134" width="12" height="18" fill="#f7e1b5"/><rect x="71" y="131" width="8" height="8" fill="#f7e1b5"/></g>
    <g filter="url(#grain)"><path d="M276 240 C280 196 276 176 284 150 C254 156 250 122 272 118 C262 92 296 78 306 98 C330 92 336 126 318 134 C328 152 306 160 298 150 C294 184 296 210 304 240Z" fill="#28512f"/></g>
    <path d="M112 196 q32 16 66 0 l-8 16 h-48Z" fill="#7a3b22"/><path d="M143 194 v-46 l26 40Z" fill="#fdf8ee"/><path d="M140 194 v-38 l-18 32Z" fill="#e4572e"/>
  </svg>`

const { data } = await sharp(Buffer.from(painting)).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
const unit = unitOf(WIDTH, HEIGHT)
await mkdir(folder, { recursive: true })
for (const [name, kind] of Object.entries(catalogue)) {
  const picture = { width: WIDTH, height: HEIGHT, data: new Uint8ClampedArray(data) }
  const prepared = kind.prepare?.(picture, 1, unit)
  const rendered = kind.render({
    band: picture,
    top: 0,
    fullWidth: WIDTH,
    fullHeight: HEIGHT,
    intensity: 1,
    unit,
    prepared,
  })
  const raw = { width: WIDTH, height: HEIGHT, channels: 4 }
  await sharp(Buffer.from(rendered), { raw })
    .webp({ quality: 66, effort: 6 })
    .toFile(join(folder, `${name}.webp`))
}
