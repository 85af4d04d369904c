import type { MediaDetailJson } from '@mira/shared'
import { CircleDot, ImageOff, Minus, Plus, Scan, ScanText } from 'lucide-react'
import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import { useText } from '../../lib/i18n/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { ThumbhashImage } from '../../ui/thumbhash-image.tsx'
import { hasWords, type ItemLocation } from './item-location.ts'
import { StepReason } from './steps-panel.tsx'
import { type Point, useTouchGestures } from './touch-gestures.ts'

const ZOOM_STEPS = [1, 1.5, 2, 3, 4, 6, 8]
const MAX_ZOOM = 8
/** Formats that every browser displays. */
const BROWSER_FORMATS = ['image/jpeg', 'image/png', 'image/webp']

/** Zoomable picture with its recognised words as an overlay. */
export function PictureStage({ item, words, box, onSwipe }: PictureStageProps) {
  const text = useText('gallery')
  const frame = useRef<HTMLDivElement>(null)
  const picture = useRef<HTMLDivElement>(null)
  const [fitted, setFitted] = useState({ width: 0, height: 0 })
  const [zoom, setZoom] = useState(1)
  const [isMotionPlaying, setIsMotionPlaying] = useState(false)
  // Not `autoPlay`, which iOS silently ignores for videos with sound. Memoised: a new function would play it again.
  const playMotion = useCallback((video: HTMLVideoElement | null) => {
    video?.play().catch(() => video.isConnected && setIsMotionPlaying(false))
  }, [])
  const [showsBoxes, setShowsBoxes] = useState(() => words !== '')
  const { width, height, content_type } = item.metadata
  const ratio = width && height ? width / height : 4 / 3

  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    const measure = () => {
      const available = { width: element.clientWidth, height: element.clientHeight }
      const fittedWidth = Math.min(available.width, available.height * ratio)
      setFitted({ width: Math.floor(fittedWidth), height: Math.floor(fittedWidth / ratio) })
    }
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    measure()
    return () => observer.disconnect()
  }, [ratio])

  // Zooming keeps the point under the fingers, or else the centre, in place; `fraction` is its position in the picture, 0 to 1.
  const anchor = useRef<{ fraction: Point; point: Point } | null>(null)
  const zoomTo = (next: number, at?: Point) => {
    const frameBounds = frame.current?.getBoundingClientRect()
    const bounds = picture.current?.getBoundingClientRect()
    if (frameBounds && bounds) {
      const point = at ?? {
        x: frameBounds.left + frameBounds.width / 2,
        y: frameBounds.top + frameBounds.height / 2,
      }
      anchor.current = {
        fraction: { x: (point.x - bounds.left) / bounds.width, y: (point.y - bounds.top) / bounds.height },
        point,
      }
    }
    setZoom(next)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each zoom
  useLayoutEffect(() => {
    const element = frame.current
    const bounds = picture.current?.getBoundingClientRect()
    if (!element || !bounds || !anchor.current) return
    const { fraction, point } = anchor.current
    element.scrollLeft += bounds.left + fraction.x * bounds.width - point.x
    element.scrollTop += bounds.top + fraction.y * bounds.height - point.y
  }, [zoom])
  const zoomBeforePinch = useRef(1)
  useTouchGestures(frame, {
    onPinch: (factor, middle, isStart) => {
      if (isStart) zoomBeforePinch.current = zoom
      else zoomTo(Math.min(Math.max(zoomBeforePinch.current * factor, 1), MAX_ZOOM), middle)
    },
    onSwipe: (direction) => {
      if (zoom === 1) onSwipe(direction)
    },
    onDoubleTap: (at) => zoomTo(zoom === 1 ? 2 : 1, at),
  })
  const stepBy = (step: 1 | -1) =>
    zoomTo(
      (step === 1 ? ZOOM_STEPS.find((one) => one > zoom) : ZOOM_STEPS.findLast((one) => one < zoom)) ??
        (step === 1 ? zoom : 1),
    )

  const previewUrl = item.preview_url ?? item.url
  // there's no preview, and browsers can't display the file
  const isUndisplayable =
    item.processing_status === 'failed' && !item.preview_url && !BROWSER_FORMATS.includes(content_type)
  const pictureUrl = zoom > 1 && BROWSER_FORMATS.includes(content_type) ? item.url : previewUrl
  return (
    <div className="flex h-full min-h-0 flex-col">
      {/* biome-ignore lint/a11y/useSemanticElements: no fields are grouped here */}
      <div
        ref={frame}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable with the keyboard
        tabIndex={0}
        role="group"
        aria-label={text('picture.label')}
        onDoubleClick={({ clientX, clientY }) => zoomTo(zoom === 1 ? 2 : 1, { x: clientX, y: clientY })}
        onKeyDown={(event) => {
          if (event.key === '+' || event.key === '=') stepBy(1)
          else if (event.key === '-') stepBy(-1)
          else if (event.key === '0') zoomTo(1)
          else if (zoom > 1 && event.key.startsWith('Arrow')) event.stopPropagation()
        }}
        {...dragToScroll(zoom > 1)}
        className="flex min-h-[45dvh] flex-1 touch-pan-x touch-pan-y overflow-auto bg-surface-sunken focus-visible:-outline-offset-2 @4xl:min-h-0"
      >
        <div
          ref={picture}
          className="relative m-auto shrink-0"
          style={{ width: fitted.width * zoom, height: fitted.height * zoom }}
        >
          <ThumbhashImage src={item.thumbnail} hash={item.thumbhash} alt="" fit="contain" />
          {isUndisplayable ? (
            <p className="absolute inset-0 flex flex-col items-center justify-center gap-3 text-14 text-muted">
              <ImageOff aria-hidden className="size-10" />
              <StepReason item={item} step="read" />
            </p>
          ) : (
            <ThumbhashImage
              src={pictureUrl}
              hash={null}
              alt={item.caption ?? item.metadata.original_filename}
              fit="contain"
            />
          )}
          {isMotionPlaying && item.motion && (
            <video
              key={item.motion.url}
              src={item.motion.url}
              ref={playMotion}
              playsInline
              onEnded={() => setIsMotionPlaying(false)}
              onError={() => setIsMotionPlaying(false)}
              className="absolute inset-0 size-full object-contain"
            >
              {/* there are no captions for three seconds of sound */}
              <track kind="captions" />
            </video>
          )}
          {item.words.length > 0 && <TextLayer item={item} ratio={ratio} words={words} showsBoxes={showsBoxes} />}
          {box !== null && words === '' && <MarkedBox box={box} />}
        </div>
      </div>
      <div
        role="toolbar"
        aria-label={text('picture.tools')}
        className="flex shrink-0 flex-wrap items-center justify-center gap-1 border-t border-border px-3 py-2"
      >
        <IconButton
          name={text('picture.smaller')}
          icon={<Minus aria-hidden />}
          disabled={zoom === 1}
          onClick={() => stepBy(-1)}
        />
        <span role="status" className="w-14 text-center text-13 tabular-nums">
          {text('picture.zoom', { percent: Math.round(zoom * 100) })}
        </span>
        <IconButton
          name={text('picture.larger')}
          icon={<Plus aria-hidden />}
          disabled={zoom === MAX_ZOOM}
          onClick={() => stepBy(1)}
        />
        <IconButton
          name={text('picture.fit')}
          icon={<Scan aria-hidden />}
          disabled={zoom === 1}
          onClick={() => zoomTo(1)}
        />
        {item.motion && (
          <Button
            variant="ghost"
            icon={<CircleDot aria-hidden />}
            aria-label={text(isMotionPlaying ? 'picture.stopMotion' : 'picture.playMotion')}
            aria-pressed={isMotionPlaying}
            onClick={() => setIsMotionPlaying((current) => !current)}
            className={isMotionPlaying ? 'bg-accent-soft text-accent-text' : ''}
          >
            {text('picture.live')}
          </Button>
        )}
        {item.words.length > 0 && (
          <Button
            variant="ghost"
            icon={<ScanText aria-hidden />}
            aria-pressed={showsBoxes}
            onClick={() => setShowsBoxes((current) => !current)}
            className={showsBoxes ? 'bg-accent-soft text-accent-text' : ''}
          >
            {text('picture.boxes')}
          </Button>
        )}
        {item.extracted_text && (
          <CopyButton
            text={item.extracted_text}
            label={text('picture.copyText')}
            copiedLabel={text('edit.copied')}
            withText
            size="md"
            className="border-transparent bg-transparent"
          />
        )}
      </div>
    </div>
  )
}

/** Invisible, selectable words over the picture, and optionally their boxes. */
function TextLayer({ item, ratio, words, showsBoxes }: TextLayerProps) {
  // Any size works if the proportions are right.
  const width = 1000
  const height = width / ratio
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${width} ${height}`}
      className="absolute inset-0 size-full"
      data-testid="words"
    >
      {item.words.map(({ text, box: [x, y, w, h] }, index) => {
        const isMarked = words !== '' && hasWords(text, words)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: words never move
          <g key={index}>
            {(showsBoxes || isMarked) && (
              <rect
                x={x * width}
                y={y * height}
                width={w * width}
                height={h * height}
                rx={2}
                className={
                  isMarked ? 'fill-warning/25 stroke-warning stroke-[3]' : 'fill-accent/10 stroke-accent stroke-[1.5]'
                }
              />
            )}
            <text
              x={x * width}
              y={(y + h * 0.8) * height}
              fontSize={h * height}
              textLength={w * width}
              lengthAdjust="spacingAndGlyphs"
              className="cursor-text fill-transparent select-text"
            >
              {`${text} `}
            </text>
          </g>
        )
      })}
    </svg>
  )
}

/** The part of the picture that a link refers to. */
function MarkedBox({ box: [x, y, width, height] }: { box: NonNullable<ItemLocation['box']> }) {
  const percent = (part: number) => `${part * 100}%`
  return (
    <span
      aria-hidden
      data-testid="box"
      className="pointer-events-none absolute rounded-[0.25rem] bg-warning/15 outline-3 outline-warning"
      style={{ left: percent(x), top: percent(y), width: percent(width), height: percent(height) }}
    />
  )
}

/** Event handlers for scrolling by dragging with a mouse. */
function dragToScroll(isOn: boolean) {
  if (!isOn) return {}
  return {
    onPointerDown: (event: React.PointerEvent<HTMLElement>) => {
      // Leaves a press on a word to the browser, which selects text.
      if (event.pointerType !== 'mouse' || event.button !== 0 || (event.target as Element).closest('text')) return
      event.preventDefault()
      event.currentTarget.focus()
      event.currentTarget.setPointerCapture(event.pointerId)
    },
    onPointerMove: (event: React.PointerEvent<HTMLElement>) => {
      if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
      event.currentTarget.scrollLeft -= event.movementX
      event.currentTarget.scrollTop -= event.movementY
    },
  }
}

type PictureStageProps = { item: MediaDetailJson; onSwipe: (direction: 1 | -1) => void } & Pick<
  ItemLocation,
  'words' | 'box'
>
type TextLayerProps = { item: MediaDetailJson; ratio: number; words: string; showsBoxes: boolean }
