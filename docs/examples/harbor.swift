func unload(_ ship: String) async -> Int {
    await Task.yield()
    return 100 / (ship.count - 3)
}

func dock(_ ship: String) async -> Int {
    let crates = await unload(ship)
    return crates + 1
}

@main struct Harbor {
    static func main() async {
        print(await dock("Eve"))
    }
}
