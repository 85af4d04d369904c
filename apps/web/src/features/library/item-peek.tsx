import { FileX, PanelRightOpen } from 'lucide-react'
import { Link } from 'react-router-dom'
import { ApiError } from '../../lib/api/client.ts'
import { LoadFailed } from '../../lib/components/query-list.tsx'
import { useText } from '../../lib/i18n/i18n.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { SidePanel } from '../../ui/side-panel.tsx'
import { ItemBody } from './item-body.tsx'
import { ItemSkeleton } from './item-face.tsx'
import { readItemLocation } from './item-location.ts'
import { useItem } from './use-item.ts'

/** An item in a panel beside the current page, at the location in `address`. */
export function ItemPeek({ address, returnTo, onClose }: ItemPeekProps) {
  const text = useText('gallery')
  const common = useText('app')
  const { pathname, searchParams } = new URL(address, window.location.origin)
  const query = useItem(pathname.split('/').at(-1) ?? '')
  const item = query.data
  const isGone = query.error instanceof ApiError && query.error.status === 404
  return (
    <SidePanel
      title={item?.metadata.original_filename ?? text('view.item')}
      closeLabel={common('common.close')}
      returnTo={returnTo}
      onClose={onClose}
      actions={
        <Link
          to={address}
          aria-label={text('view.inGallery')}
          className={buttonClass({ variant: 'ghost', size: 'sm' })}
        >
          <PanelRightOpen aria-hidden />
          <span className="hidden sm:inline">{text('view.inGallery')}</span>
        </Link>
      }
    >
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto @4xl:overflow-hidden">
        {query.isPending && <ItemSkeleton />}
        {query.isLoadingError && !isGone && <LoadFailed query={query} className="p-6" />}
        {isGone && (
          <EmptyState icon={<FileX />} title={text('view.goneTitle')} text={text('view.gone')} className="my-auto" />
        )}
        {item && !isGone && <ItemBody key={address} item={item} location={readItemLocation(searchParams)} />}
      </div>
    </SidePanel>
  )
}

type ItemPeekProps = {
  /** Path of the item in the gallery, with the location within the item as query parameters. */
  address: string
  returnTo: Element | null
  onClose: () => void
}
