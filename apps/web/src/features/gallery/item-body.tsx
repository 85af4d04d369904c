import type { MediaDetailJson } from '@mira/shared'
import { type ReactNode, useMemo, useState } from 'react'
import { DocumentStage } from './document-stage.tsx'
import { FilmStage } from './film-stage.tsx'
import { type ItemLocation, placeOfWords } from './item-location.ts'
import { ItemPanel } from './item-panel.tsx'
import { PictureStage } from './picture-stage.tsx'
import { usePlayer } from './player.ts'
import { RecordingStage } from './recording-stage.tsx'

const stay = () => {}

/** The item itself, and beside it (below it on a phone) what is known of it. */
export function ItemBody({ item, location: asked, onSwipe }: ItemBodyProps) {
  const { words, seconds, page, frame } = asked
  const isPlaceNamed = [seconds, page, frame].some((place) => place !== null)
  const found = useMemo(
    () => (words === '' || isPlaceNamed ? null : placeOfWords(item, words)),
    [item, words, isPlaceNamed],
  )
  const location = { ...asked, ...found }
  const wantedFrame = item.frames.find(({ frame_number }) => frame_number === location.frame)
  const player = usePlayer(location.seconds ?? wantedFrame?.timestamp_seconds ?? 0)
  const [pageNumber, setPageNumber] = useState(location.page ?? 1)
  const pageIndex = Math.max(
    0,
    item.pages.findIndex(({ page }) => page === pageNumber),
  )
  const stages: Record<MediaDetailJson['media_type'], () => ReactNode> = {
    image: () => <PictureStage item={item} words={location.words} box={location.box} onSwipe={onSwipe ?? stay} />,
    video: () => <FilmStage item={item} player={player} />,
    audio: () => <RecordingStage item={item} player={player} />,
    document: () => (
      <DocumentStage
        item={item}
        pageIndex={pageIndex}
        onPage={(index) => setPageNumber(item.pages[index]?.page ?? 1)}
        words={location.words}
      />
    ),
  }
  return (
    <div className="flex flex-col @4xl:min-h-0 @4xl:flex-1 @4xl:flex-row">
      <div className="min-w-0 @4xl:min-h-0 @4xl:flex-1">{stages[item.media_type]()}</div>
      <ItemPanel item={item} player={player} location={location} pageIndex={pageIndex} />
    </div>
  )
}

type ItemBodyProps = {
  item: MediaDetailJson
  /** Location to show; with search words only, the place where they occur. */
  location: ItemLocation
  /** Handler for swipes over a picture; undefined without neighbours. */
  onSwipe?: (direction: 1 | -1) => void
}
