import type { MediaDetailJson } from '@mira/shared'
import { useQuery } from '@tanstack/react-query'
import { fetchNote } from '../../api/notes.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { NoteMarkdown } from '../../lib/note-markdown.tsx'
import { textBelowTitle } from '../../lib/note-title.ts'
import { LoadingRegion, SkeletonText } from '../../ui/skeleton.tsx'

/** A note as it was written, with its marks as what they mean. */
export function NoteView({ item }: { item: MediaDetailJson }) {
  const app = useText('app')
  const query = useQuery({
    // one that is written anew has another hash
    queryKey: ['gallery', 'note', item.id, item.metadata.sha256],
    queryFn: ({ signal }) => fetchNote(item.id, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (query.isPending) {
    return (
      <LoadingRegion label={app('common.loading')} className="w-full max-w-reading p-6">
        <SkeletonText lines={8} />
      </LoadingRegion>
    )
  }
  if (query.isError) return <LoadFailed query={query} className="m-auto p-6" />
  return (
    <article className="h-fit w-full max-w-reading min-w-0 rounded-control border border-border bg-surface-raised p-5 text-14 sm:p-8">
      <h2 className="mb-4 text-20 font-semibold wrap-anywhere">{query.data.title}</h2>
      <NoteMarkdown text={textBelowTitle(query.data)} />
    </article>
  )
}
