import { Button, type ButtonProps } from '../../ui/button.tsx'
import { Card, CardHeader, type CardHeaderProps } from '../../ui/card.tsx'
import { QueryList, type QueryListProps } from './query-list.tsx'

/** A card that is a list, with a button that adds to it. */
export function ListCard<Item>({ id, title, description, level, add, ...list }: ListCardProps<Item>) {
  return (
    <Card id={id} className={id && 'scroll-mt-32'}>
      <CardHeader title={title} description={description} level={level} actions={<Button size="sm" {...add} />} />
      <QueryList label={title} {...list} />
    </Card>
  )
}

export type ListCardProps<Item> = Omit<QueryListProps<Item>, 'label'> &
  Pick<CardHeaderProps, 'description' | 'level'> & {
    /** By which a link leads to it. */
    id?: string
    title: string
    add: Pick<ButtonProps, 'icon' | 'children' | 'onClick'>
  }
