import { type ReactNode, useState } from 'react'
import { findPrintedArea, type PageArea } from './ink.ts'

/** Size in pixels at which the page is analysed; enough to locate its text. */
const SAMPLE_SIZE = { width: 60, height: 84 }
const WHOLE: PageArea = { left: 0, top: 0, zoom: 1 }

/** The part of a page with text, enlarged to the full width. */
export function DocumentThumbnail({ src, fallback, onFailed }: DocumentThumbnailProps) {
  const [isFailed, setIsFailed] = useState(false)
  const [part, setPart] = useState<PageArea | null>(null)
  if (isFailed) return fallback
  const { left, top, zoom } = part ?? WHOLE
  return (
    <span data-face="page" className="absolute inset-0 overflow-hidden bg-paper">
      <img
        src={src}
        alt=""
        loading="lazy"
        decoding="async"
        draggable={false}
        onLoad={({ currentTarget }) => setPart(partWithText(currentTarget))}
        onError={() => {
          setIsFailed(true)
          onFailed()
        }}
        className="absolute top-0 left-0 h-auto max-w-none transition-opacity"
        style={{
          width: `${zoom * 100}%`,
          transform: `translate(-${left * 100}%, -${top * 100}%)`,
          opacity: part === null ? 0 : 1,
        }}
      />
    </span>
  )
}

function partWithText(page: HTMLImageElement): PageArea {
  const canvas = document.createElement('canvas')
  canvas.width = SAMPLE_SIZE.width
  canvas.height = SAMPLE_SIZE.height
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (!context) return WHOLE
  context.drawImage(page, 0, 0, SAMPLE_SIZE.width, SAMPLE_SIZE.height)
  return findPrintedArea(context.getImageData(0, 0, SAMPLE_SIZE.width, SAMPLE_SIZE.height))
}

type DocumentThumbnailProps = { src: string; fallback: ReactNode; onFailed: () => void }
