/**
 * Lets React remove and insert nodes beside text that a browser's translation has wrapped or replaced, instead of failing,
 * which would take the whole page down (https://github.com/facebook/react/issues/11538). Called before the first render.
 */
export function tolerateMovedNodes(): void {
  const { removeChild, insertBefore } = Node.prototype
  Node.prototype.removeChild = function <Child extends Node>(this: Node, child: Child): Child {
    const moved = childWith(this, child)
    if (moved) removeChild.call(this, moved)
    return child
  }
  Node.prototype.insertBefore = function <Inserted extends Node>(
    this: Node,
    node: Inserted,
    reference: Node | null,
  ): Inserted {
    insertBefore.call(this, node, reference && childWith(this, reference))
    return node
  }
}

/**
 * The child of `parent` that is `node`, or a translation's element around it; null when a translation has removed it. A node
 * that's somewhere else is a fault of ours: it's returned, so that the browser reports it.
 */
function childWith(parent: Node, node: Node): Node | null {
  let child = node
  while (child.parentNode !== parent) {
    if (child.parentNode === null) return null
    // Some translators use elements of their own, such as <ya-tr-span>.
    if (!/^(?:FONT|[A-Z][A-Z\d]*-.+)$/.test(child.parentNode.nodeName)) return node
    child = child.parentNode
  }
  return child
}
