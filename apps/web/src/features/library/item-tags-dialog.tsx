import { useQuery, useQueryClient } from '@tanstack/react-query'
import { changeMediaTags } from '../../lib/api/library.ts'
import { TagsDialog } from '../../lib/components/tags-dialog.tsx'
import { useText } from '../../lib/i18n/i18n.ts'
import type { GridItem } from './library-items.ts'
import { libraryKey, tagsQuery } from './library-queries.ts'

/** Gives tags to several items, or takes them away. */
export function ItemTagsDialog({ items, onClose }: ItemTagsDialogProps) {
  const text = useText('gallery')
  const queryClient = useQueryClient()
  const { data: existingTags = [] } = useQuery(tagsQuery)
  return (
    <TagsDialog
      tagged={items}
      existingTags={existingTags}
      labels={{
        title: text('tags.title', { count: items.length }),
        add: text('tags.add'),
        hint: text('tags.hint'),
        all: text('tags.all'),
        save: text('tags.save'),
      }}
      onSave={async (change) => {
        await changeMediaTags(
          items.map(({ id }) => id),
          change,
        )
        await Promise.all([
          queryClient.invalidateQueries({ queryKey: libraryKey }),
          queryClient.invalidateQueries({ queryKey: tagsQuery.queryKey }),
        ])
      }}
      onClose={onClose}
    />
  )
}

type ItemTagsDialogProps = { items: readonly GridItem[]; onClose: () => void }
