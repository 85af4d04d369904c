import type { MediaItemJson } from '@mira/shared'
import { useQuery } from '@tanstack/react-query'
import { ArrowLeft } from 'lucide-react'
import { useState } from 'react'
import { LibraryBrowser } from '../../lib/components/library-browser.tsx'
import { LoadFailed } from '../../lib/components/query-list.tsx'
import { clock } from '../../lib/format/format.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { MediaTile, MediaTiles, MediaTilesSkeleton } from '../../ui/media-tiles.tsx'
import { sourceItemQuery } from './effects-queries.ts'

/** Picker for a picture of the memory, or a frame of a video. */
export function LibraryDialog({ onClose, onChoose }: LibraryDialogProps) {
  const text = useText('effects')
  const common = useText('app')
  const [video, setVideo] = useState<MediaItemJson | null>(null)
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={video ? text('library.frames', { name: video.metadata.original_filename }) : text('library.title')}
      closeLabel={common('common.close')}
      size="lg"
    >
      {video ? (
        <div className="min-h-[50dvh]">
          <FrameList video={video} onBack={() => setVideo(null)} onChoose={onChoose} />
        </div>
      ) : (
        <LibraryBrowser
          kinds={[
            { value: 'image', label: text('library.images'), empty: text('library.empty.image') },
            { value: 'video', label: text('library.videos'), empty: text('library.empty.video') },
          ]}
          texts={{
            search: text('library.search'),
            kinds: text('library.kinds'),
            noneFound: text('library.noneFound'),
          }}
          isOpen
          onPick={(item) => (item.media_type === 'image' ? onChoose(item.id, null) : setVideo(item))}
        />
      )}
    </Dialog>
  )
}

function FrameList({ video, onBack, onChoose }: FrameListProps) {
  const text = useText('effects')
  const common = useText('app')
  const detail = useQuery(sourceItemQuery(video.id))
  return (
    <>
      <Button size="sm" variant="ghost" className="mb-3 -ml-2" icon={<ArrowLeft aria-hidden />} onClick={onBack}>
        {text('library.back')}
      </Button>
      {detail.isLoadingError ? (
        <LoadFailed query={detail} className="py-6" />
      ) : !detail.data ? (
        <MediaTilesSkeleton label={common('common.loading')} />
      ) : detail.data.frames.length === 0 ? (
        <p className="py-10 text-center text-14 text-muted">{text('library.noFrames')}</p>
      ) : (
        <MediaTiles>
          {detail.data.frames.map(({ frame_number: number, timestamp_seconds: seconds, thumbnail }) => (
            <MediaTile
              key={number}
              name={text('library.frame', { number, time: clock(seconds) })}
              src={thumbnail}
              hash={null}
              type="video"
              corner={null}
              onPick={() => onChoose(video.id, number)}
            />
          ))}
        </MediaTiles>
      )}
    </>
  )
}

type LibraryDialogProps = {
  onClose: () => void
  onChoose: (mediaId: string, frameNumber: number | null) => void
}
type FrameListProps = {
  video: MediaItemJson
  onBack: () => void
  onChoose: (mediaId: string, frameNumber: number) => void
}
