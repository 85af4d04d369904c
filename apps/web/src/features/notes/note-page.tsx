import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from 'react-router-dom'
import { fetchNote } from '../../api/notes.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { Card } from '../../ui/card.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { LoadingRegion, SkeletonText } from '../../ui/skeleton.tsx'
import { NoteEditor } from './note-editor.tsx'

/** /notes/new, where a note is written, and /notes/:id, where it is written anew. */
export function NotePage() {
  const text = useText('notes')
  const { id = 'new' } = useParams()
  return (
    <div className="mx-auto max-w-page">
      <PageHeader title={text(id === 'new' ? 'new' : 'edit')} subtitle={text('subtitle')} />
      <Card>{id === 'new' ? <NoteEditor key="new" note={null} /> : <StoredNote key={id} id={id} />}</Card>
    </div>
  )
}

function StoredNote({ id }: { id: string }) {
  const app = useText('app')
  const queryClient = useQueryClient()
  const queryKey = ['notes', id]
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => fetchNote(id, signal),
    // what is being written must not change under the hands
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (query.isPending) {
    return (
      <LoadingRegion label={app('common.loading')}>
        <SkeletonText lines={6} />
      </LoadingRegion>
    )
  }
  if (query.isError) return <LoadFailed query={query} />
  return <NoteEditor note={query.data} onSaved={() => queryClient.removeQueries({ queryKey })} />
}
