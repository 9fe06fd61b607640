import { Predicate } from "effect"

import { isJsonObject, type JsonObject, listOf, objectOf, objectsOf, textOf } from "../../internal/schema/JsonObject.ts"

/** A name in code that the code itself does not declare: the engine has to know it. */
export interface FreeReference {
  /** The name; `this` where it is that of the whole code. */
  readonly name: string
  /** The members that are taken of it by name, one after the other. */
  readonly path: ReadonlyArray<string>
  /** The place of the name with its members, in characters of the parsed text. */
  readonly start: number
  readonly end: number
  readonly isCalled: boolean
  readonly isAssigned: boolean
}

/** A function, or a block of one: the names that are declared in it. */
interface Scope {
  readonly names: ReadonlySet<string>
  readonly around: Scope | undefined
  /** Whether `this` is that of the whole code. */
  readonly isOuterThis: boolean
}

/** The free references of a syntax tree, in the order of their places. */
export const freeReferences = (tree: unknown): ReadonlyArray<FreeReference> => {
  const references: Array<FreeReference> = []

  const isDeclared = (name: string, scope: Scope | undefined): boolean =>
    scope !== undefined && (scope.names.has(name) || isDeclared(name, scope.around))

  const visitAll = (nodes: unknown, scope: Scope) => {
    for (const node of listOf(nodes)) visit(node, scope)
  }

  /** A name with the members that are taken of it; other objects are visited. */
  const visitChain = (chain: JsonObject, scope: Scope, isCalled: boolean, isAssigned: boolean) => {
    const path: Array<string> = []
    let node = chain
    let end = Number(chain.end)
    for (; ["MemberExpression", "ChainExpression"].includes(textOf(node.type)); node = innerOf(node)) {
      if (node.type === "ChainExpression") continue
      const member = memberName(node)
      if (node.computed === true) visit(node.property, scope)
      if (member === undefined) {
        path.length = 0
        end = Number(innerOf(node).end)
      } else path.unshift(member)
    }
    const isThis = node.type === "ThisExpression"
    if (!isThis && node.type !== "Identifier") return visit(node, scope)
    const name = isThis ? "this" : textOf(node.name)
    if (isThis ? !scope.isOuterThis : isDeclared(name, scope)) return
    const isWhole = end === Number(chain.end)
    references.push({
      name,
      path,
      start: Number(node.start),
      end,
      isCalled: isCalled && isWhole,
      isAssigned: isAssigned && isWhole
    })
  }

  const visitFunction = (node: JsonObject, around: Scope) => {
    const isArrow = node.type === "ArrowFunctionExpression"
    const names = new Set(objectsOf(node.params).flatMap(boundNames))
    if (!isArrow) names.add("arguments")
    if (node.type === "FunctionExpression") names.add(textOf(objectOf(node.id).name))
    const outer = { names, around, isOuterThis: isArrow && around.isOuterThis }
    for (const pattern of objectsOf(node.params)) visitPattern(pattern, outer)
    const body = objectOf(node.body)
    if (body.type === "BlockStatement") {
      visitAll(body.body, inner(outer, [...lexicalNames(body.body), ...hoistedNames(body)]))
    } else visit(body, outer)
  }

  /** The defaults and computed names of what is declared or assigned. */
  const visitPattern = (pattern: JsonObject, scope: Scope) => {
    if (pattern.type === "AssignmentPattern") {
      visitPattern(objectOf(pattern.left), scope)
      visit(pattern.right, scope)
    } else if (pattern.type === "ArrayPattern") {
      for (const element of objectsOf(pattern.elements)) visitPattern(element, scope)
    } else if (pattern.type === "RestElement") visitPattern(objectOf(pattern.argument), scope)
    else if (pattern.type === "ObjectPattern") {
      for (const property of objectsOf(pattern.properties)) {
        if (property.type === "RestElement") visitPattern(property, scope)
        else {
          if (property.computed === true) visit(property.key, scope)
          visitPattern(objectOf(property.value), scope)
        }
      }
    } else visitChain(pattern, scope, false, true)
  }

  const inner = (around: Scope, names: ReadonlyArray<string>): Scope =>
    names.length === 0 ? around : { names: new Set(names), around, isOuterThis: around.isOuterThis }

  const visit = (node: unknown, scope: Scope): void => {
    if (Array.isArray(node)) return visitAll(node, scope)
    if (!isJsonObject(node)) return
    switch (node.type) {
      case "Identifier":
      case "ThisExpression":
      case "MemberExpression":
      case "ChainExpression":
        return visitChain(node, scope, false, false)
      case "CallExpression":
      case "NewExpression":
        visitChain(objectOf(node.callee), scope, true, false)
        return visitAll(node.arguments, scope)
      case "AssignmentExpression":
        visitPattern(objectOf(node.left), scope)
        return visit(node.right, scope)
      case "UnaryExpression":
        // Whether a name exists can be asked of every engine.
        if (node.operator === "typeof" && objectOf(node.argument).type === "Identifier") return
        return visit(node.argument, scope)
      case "UpdateExpression":
        return visitPattern(objectOf(node.argument), scope)
      case "VariableDeclarator":
        visitPattern(objectOf(node.id), scope)
        return visit(node.init, scope)
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        return visitFunction(node, scope)
      case "ClassDeclaration":
      case "ClassExpression": {
        const named = inner(scope, [textOf(objectOf(node.id).name)])
        visit(node.superClass, named)
        for (const member of objectsOf(objectOf(node.body).body)) {
          // A computed name is read outside of the class.
          if (member.computed === true) visit(member.key, named)
          visit(member.type === "StaticBlock" ? member : member.value, { ...named, isOuterThis: false })
        }
        return
      }
      case "Property":
        if (node.computed === true) visit(node.key, scope)
        return visit(node.value, scope)
      case "BlockStatement":
      case "StaticBlock":
        return visitAll(node.body, inner(scope, lexicalNames(node.body)))
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement": {
        const heads = [node.init, node.left].filter(isJsonObject)
        const within = inner(scope, lexicalNames(heads))
        for (const head of heads) {
          if (head.type === "VariableDeclaration" || head === node.init) visit(head, within)
          else visitPattern(head, within)
        }
        return visitAll([node.test, node.update, node.right, node.body], within)
      }
      case "SwitchStatement":
        visit(node.discriminant, scope)
        return visitAll(
          node.cases,
          inner(scope, lexicalNames(objectsOf(node.cases).flatMap((one) => listOf(one.consequent))))
        )
      case "CatchClause": {
        const within = inner(scope, isJsonObject(node.param) ? boundNames(node.param) : [])
        if (isJsonObject(node.param)) visitPattern(node.param, within)
        return visit(node.body, within)
      }
      case "LabeledStatement":
        return visit(node.body, scope)
      case "BreakStatement":
      case "ContinueStatement":
      case "MetaProperty":
        return
      default:
        for (const value of Object.values(node)) if (Predicate.isObjectOrArray(value)) visit(value, scope)
    }
  }

  const { body, type } = objectOf(tree)
  const names = type === "Program" ? [...lexicalNames(body), ...hoistedNames(objectOf(tree))] : []
  const outermost: Scope = { names: new Set(names), around: undefined, isOuterThis: true }
  if (type === "Program") visitAll(body, outermost)
  else visit(tree, outermost)
  return references.toSorted((a, b) => a.start - b.start)
}

const innerOf = ({ expression, object }: JsonObject): JsonObject => objectOf(object ?? expression)

/** The name of a member, where the text says it. */
export const memberName = ({ computed, property }: JsonObject): string | undefined => {
  const { name, quasis, type, value } = objectOf(property)
  if (computed !== true) return type === "PrivateIdentifier" ? undefined : textOf(name)
  if (type === "Literal" && (Predicate.isString(value) || Predicate.isNumber(value))) return String(value)
  const [only, ...others] = objectsOf(quasis)
  return type === "TemplateLiteral" && others.length === 0 ? textOf(objectOf(only?.value).cooked) : undefined
}

/** The names that a pattern binds. */
const boundNames = (pattern: JsonObject): ReadonlyArray<string> => {
  switch (pattern.type) {
    case "Identifier":
      return [textOf(pattern.name)]
    case "AssignmentPattern":
      return boundNames(objectOf(pattern.left))
    case "RestElement":
      return boundNames(objectOf(pattern.argument))
    case "ArrayPattern":
      return objectsOf(pattern.elements).flatMap(boundNames)
    case "ObjectPattern":
      return objectsOf(pattern.properties).flatMap((one) =>
        boundNames(one.type === "RestElement" ? one : objectOf(one.value))
      )
    default:
      return []
  }
}

const declaredNames = ({ declarations }: JsonObject) =>
  objectsOf(declarations).flatMap(({ id }) => boundNames(objectOf(id)))

/** The names that hold in a block: of classes, functions, `let` and `const`. */
const lexicalNames = (statements: unknown): ReadonlyArray<string> =>
  objectsOf(statements).flatMap((one) => {
    if (one.type === "FunctionDeclaration" || one.type === "ClassDeclaration") return [textOf(objectOf(one.id).name)]
    return one.type === "VariableDeclaration" && one.kind !== "var" ? declaredNames(one) : []
  })

/** The names that `var` declares anywhere in a function, but not in those inside of it. */
const hoistedNames = (body: JsonObject): ReadonlyArray<string> => {
  const names: Array<string> = []
  const open: Array<unknown> = [body.body]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (Array.isArray(node)) for (const one of listOf(node)) if (Predicate.isNotNullish(one)) open.push(one)
    if (!isJsonObject(node) || /Function|Class/.test(textOf(node.type))) continue
    if (node.type === "VariableDeclaration" && node.kind === "var") names.push(...declaredNames(node))
    open.push(...Object.values(node).filter(Predicate.isObjectOrArray))
  }
  return names
}
