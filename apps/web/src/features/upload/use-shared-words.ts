import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router-dom'
import { addNote } from '../../api/notes.ts'
import { keepPage } from '../../api/pages.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { titleOf } from '../../lib/note-title.ts'
import { newNotePath, paths } from '../../lib/paths.ts'
import { showToast } from '../../ui/show-toast.ts'
import { type SharedWords, thingOf } from './shared-words.ts'

/** Keeps words that another app shared: a link as a page, everything else as a note. What fails is not lost. */
export function useSharedWords(): (words: SharedWords) => Promise<void> {
  const text = useText('upload')
  const errorText = useErrorText()
  const navigate = useNavigate()
  const queryClient = useQueryClient()

  return async (words) => {
    const thing = thingOf(words)
    if (thing === null) return
    try {
      const item =
        thing.kind === 'page'
          ? (await keepPage(thing.url)).item
          : await addNote({ title: thing.title || titleOf(thing.text), text: thing.text })
      await queryClient.invalidateQueries({ queryKey: ['gallery'] })
      showToast({
        tone: 'success',
        title: text(thing.kind === 'page' ? 'shared.page' : 'shared.note'),
        description: item.metadata.source?.title ?? item.metadata.original_filename,
        action: { label: text('entry.open'), onSelect: () => void navigate(`${paths.gallery}/${item.id}`) },
      })
    } catch (error) {
      console.error('What was shared could not be kept', error)
      const kept = thing.kind === 'page' ? thing.url : thing.text
      showToast({
        tone: 'danger',
        title: text('shared.failed'),
        description: errorText(error),
        action: { label: text('note'), onSelect: () => void navigate(newNotePath, { state: { text: kept } }) },
      })
    }
  }
}
