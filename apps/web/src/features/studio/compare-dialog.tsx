import { Columns2, Expand, MoveHorizontal, SquareSplitHorizontal } from 'lucide-react'
import { type PointerEvent, useState } from 'react'
import { useText } from '../../lib/i18n/i18n.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { TabPanel, Tabs } from '../../ui/tabs.tsx'
import { useEffectTexts } from './effects-queries.ts'
import type { StudioPicture } from './use-effect-job.ts'

/** A result over its original, with a draggable divider: the original on the left, the result on the right. */
export function CompareSlider({ before, after, title, size, height }: CompareSliderProps) {
  const text = useText('effects')
  const [percent, setPercent] = useState(50)
  const moveDivider = (event: PointerEvent<HTMLInputElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    setPercent(Math.round(Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) * 100))
  }
  const [pixelWidth, pixelHeight] = size ?? [4, 3]
  return (
    <div
      className="relative max-w-full overflow-hidden bg-surface-sunken select-none"
      style={{
        aspectRatio: `${pixelWidth} / ${pixelHeight}`,
        width: `min(100%, calc(${height} * ${pixelWidth / pixelHeight}))`,
      }}
    >
      <img src={after} alt={title} draggable={false} className="absolute inset-0 size-full object-fill" />
      <img
        src={before}
        alt=""
        draggable={false}
        className="absolute inset-0 size-full object-fill"
        style={{ clipPath: `inset(0 ${100 - percent}% 0 0)` }}
      />
      <CornerLabel side="left" isShown={percent > 12} label={text('compare.before')} />
      <CornerLabel side="right" isShown={percent < 88} label={text('compare.after')} />
      <input
        type="range"
        min={0}
        max={100}
        value={percent}
        aria-label={text('compare.slider')}
        aria-valuetext={text('compare.position', { percent })}
        onChange={({ target }) => setPercent(Number(target.value))}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          moveDivider(event)
        }}
        onPointerMove={(event) => event.buttons > 0 && moveDivider(event)}
        className="peer absolute inset-0 z-1 size-full cursor-ew-resize touch-pan-y appearance-none opacity-0"
      />
      <span
        aria-hidden
        className="pointer-events-none absolute inset-y-0 w-0.5 -translate-x-1/2 bg-surface-overlay outline-1 outline-border-strong peer-focus-visible:bg-focus"
        style={{ left: `${percent}%` }}
      />
      <span
        aria-hidden
        className="pointer-events-none absolute top-1/2 grid size-9 -translate-1/2 place-items-center rounded-full border border-border-strong bg-surface-overlay text-text shadow-float peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-focus"
        style={{ left: `${percent}%` }}
      >
        <MoveHorizontal className="size-4.5" />
      </span>
    </div>
  )
}

function CornerLabel({ side, isShown, label }: { side: 'left' | 'right'; isShown: boolean; label: string }) {
  return (
    <span
      aria-hidden
      className={`pointer-events-none absolute bottom-2 rounded-full bg-surface-overlay px-2 py-0.5 text-12 font-medium transition-opacity ${side === 'left' ? 'left-2' : 'right-2'} ${isShown ? '' : 'opacity-0'}`}
    >
      {label}
    </span>
  )
}

type CompareSliderProps = {
  /** URLs of the two pictures. */
  before: string
  after: string
  title: string
  /** Width and height in pixels, for the aspect ratio of both pictures; 4:3 when null. */
  size: readonly [number, number] | null
  /** Maximum height in CSS. */
  height: string
}

type View = 'slider' | 'sides' | 'full'

/** Enlarged result: over its original, beside it, or on its own at full size. */
export function CompareDialog({ open, onOpenChange, image, before }: CompareDialogProps) {
  const text = useText('effects')
  const common = useText('app')
  const effectTexts = useEffectTexts()
  const [chosenView, setChosenView] = useState<View>('slider')
  const { result, steps } = image
  if (result.url === null) return null
  const title = effectTexts.title(result.effect_display_name, steps)
  const view = before === null ? 'full' : chosenView
  const full = (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable with the keyboard
    <section tabIndex={0} aria-label={text('compare.full')} className="max-h-[70dvh] overflow-auto">
      <img src={result.url} alt={title} className="mx-auto max-w-none" />
    </section>
  )
  const tabs = [
    { value: 'slider', label: text('compare.views.slider'), icon: <SquareSplitHorizontal aria-hidden /> },
    { value: 'sides', label: text('compare.views.sides'), icon: <Columns2 aria-hidden /> },
    { value: 'full', label: text('compare.views.full'), icon: <Expand aria-hidden /> },
  ] as const
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={title} closeLabel={common('common.close')} size="full">
      {before === null ? (
        full
      ) : (
        <Tabs label={text('compare.label')} tabs={tabs} value={view} onValueChange={setChosenView}>
          <TabPanel value="slider" className="grid justify-items-center">
            <CompareSlider
              before={before}
              after={result.url}
              title={title}
              size={result.processed_size}
              height="68dvh"
            />
          </TabPanel>
          <TabPanel value="sides" className="grid gap-3 sm:grid-cols-2">
            <LabelledImage src={before} label={text('compare.before')} />
            <LabelledImage src={result.url} label={text('compare.after')} />
          </TabPanel>
          <TabPanel value="full">{full}</TabPanel>
        </Tabs>
      )}
    </Dialog>
  )
}

function LabelledImage({ src, label }: { src: string; label: string }) {
  return (
    <figure className="min-w-0">
      <img src={src} alt={label} className="mx-auto max-h-[32dvh] max-w-full object-contain sm:max-h-[64dvh]" />
      <figcaption className="mt-1.5 text-center text-13 text-muted">{label}</figcaption>
    </figure>
  )
}

type CompareDialogProps = {
  open: boolean
  onOpenChange: (isOpen: boolean) => void
  image: StudioPicture
  /** Null when the original no longer exists. */
  before: string | null
}
